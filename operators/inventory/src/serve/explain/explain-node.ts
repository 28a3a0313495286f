import { StatusError } from '@quartermaster/kernel';
import { unitOf } from '../../ledger/amounts/node-resources.ts';
import type { NodeInventory } from '../../model/node-inventory.ts';
import type { InventorySnapshot } from '../../model/snapshot.ts';
import { type ExplainedReason, type Explanation, explained, type Figure } from './explanation.ts';

/** Whether work can be promised on a node, and what stands against it: the node itself, its cards, its conditions. */
export function explainNode({ nodes }: InventorySnapshot, name: string): Explanation {
  const node = nodes.find((each) => each.name === name);
  if (node === undefined) throw new StatusError('not_found', `node ${name} does not exist: "quartermaster get nodes" lists those that do`);
  const against = node.sellability.reasons.map((reason) => explained(name, reason));
  const said = new Set(node.sellability.reasons.map((reason) => reason.message));
  const conditions = node.conditions.filter(({ message }) => !said.has(message)).map((reason) => explained(name, reason));
  return {
    subject: `node ${name}`,
    state: node.sellability.state,
    summary: summaryOf(node, against),
    reasons: [...against, ...conditions, ...quarantines(node)],
    figures: figuresOf(node),
    places: [],
  };
}

/** Cards that are kept back, with why. */
export function quarantines(node: NodeInventory): ExplainedReason[] {
  return node.devices.flatMap(({ id, state, reason }) => {
    if (state !== 'quarantined') return [];
    const why = reason ?? { code: 'Quarantined', message: 'the card is not healthy: look at its driver, or replace it' };
    return [explained(`${node.name} ${id}`, why)];
  });
}

function summaryOf({ name, sellability, cpu, memory }: NodeInventory, against: readonly ExplainedReason[]): string {
  const codes = against.map(({ reason }) => reason.code).join(', ');
  switch (sellability.state) {
    case 'sellable':
      return cpu.available === 0 || memory.available === 0
        ? `${name} is sellable, but it has no ${cpu.available === 0 ? 'CPU' : 'memory'} left`
        : `${name} is sellable`;
    case 'held-back':
      return `${name} is held back: ${codes}`;
    case 'unknown':
      return `the state of ${name} is unknown, so nothing is promised on it: ${codes}`;
  }
}

function figuresOf(node: NodeInventory): Figure[] {
  return [
    { name: 'cpu', unit: 'millicores', amount: node.cpu },
    { name: 'memory', unit: 'bytes', amount: node.memory },
    { name: 'ephemeral-storage', unit: 'bytes', amount: node.ephemeralStorage },
    ...node.gpus.map(({ vendor, model, interface: bus, amount }) => ({
      name: [vendor, model, bus].filter((part) => part !== '').join('/'),
      unit: 'devices' as const,
      amount,
    })),
    ...[...node.extended]
      .filter(([, { capacity, allocated }]) => capacity > 0 || allocated > 0)
      .map(([name, amount]) => ({ name, unit: unitOf(name) === 'bytes' ? ('bytes' as const) : ('devices' as const), amount })),
  ];
}
