import { StatusError } from '@quartermaster/kernel';
import type { Reason } from '../../model/node-inventory.ts';
import type { InventorySnapshot } from '../../model/snapshot.ts';
import type { Explanation, Place } from './explanation.ts';
import { wayOut } from './way-out.ts';

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
    summary: refusal === undefined ? offered(name, amount?.available) : `${name} is not offered: ${refusal.code}`,
    reasons: refusal === undefined ? [] : [{ about: name, reason: refusal, wayOut: wayOut(refusal, name) }],
    figures: amount === undefined ? [] : [{ name: 'usable space', unit: 'bytes', amount }],
    places,
  };
}

/** Whether it could be sold, were it known how much there is. What the provider decided or what is missing is known. */
function isUnknown({ code }: Reason): boolean {
  return code === 'CapacityUnknown' || code === 'AgentMissing';
}

function offered(name: string, available: number | undefined): string {
  if (available === undefined) return `${name} is offered`;
  return available === 0 ? `${name} is offered, but full` : `${name} is offered`;
}
