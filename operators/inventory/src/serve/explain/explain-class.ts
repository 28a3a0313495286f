import { StatusError } from '@quartermaster/kernel';
import type { Reason } from '../../model/node-inventory.ts';
import type { InventorySnapshot } from '../../model/snapshot.ts';
import { type Explanation, explained, type Place } from './explanation.ts';

/** Whether a storage class is offered, why not, and what is left of it, by node where it lives on nodes. */
export function explainClass({ storage, nodes }: InventorySnapshot, name: string): Explanation {
  const found = storage.find((each) => each.class === name);
  if (found === undefined) {
    const known = storage.length === 0 ? 'the cluster has no storage classes' : `there are ${storage.map((each) => each.class).join(', ')}`;
    throw new StatusError('not_found', `storage class ${name} does not exist: ${known}`);
  }
  const { amount, refusal, perNode } = found;
  const byName = new Map(nodes.map((node) => [node.name, node]));
  const places = [...(perNode ?? [])].map(([node, own]): Place => {
    const sellability = byName.get(node)?.sellability ?? { state: 'unknown' as const, reasons: [] };
    return { node, state: sellability.state, amount: own, reasons: sellability.reasons };
  });
  return {
    subject: `class ${name}`,
    state: refusal === undefined ? 'sellable' : isUnknown(refusal) ? 'unknown' : 'held-back',
    summary: `${name} is ${refusal !== undefined ? `not offered: ${refusal.code}` : amount?.available === 0 ? 'offered, but full' : 'offered'}`,
    reasons: refusal === undefined ? [] : [explained(name, refusal)],
    figures: amount === undefined ? [] : [{ name: 'usable space', unit: 'bytes', amount }],
    places,
  };
}

/** Whether it could be sold, were it known how much there is. What the provider decided or what is missing is known. */
function isUnknown({ code }: Reason): boolean {
  return code === 'CapacityUnknown' || code === 'AgentMissing';
}
