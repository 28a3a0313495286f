import type { AmountView, CapacityLine, NodeDetail, Withheld } from '../../inventory-source.ts';
import { divide } from './fill.ts';

/** Something that a node has. */
export interface NodeAmount {
  readonly kind: 'resource' | 'model';
  readonly name: string;
  readonly unit: CapacityLine['unit'];
  readonly amount: AmountView;
}

export function nodeAmounts({ cpu, memory, disk, models, extended }: NodeDetail): readonly NodeAmount[] {
  const others = extended
    .filter(({ amount }) => amount.capacity > 0)
    .map(({ name, amount }) => ({ kind: 'model', name, unit: name.startsWith('hugepages-') ? 'bytes' : 'devices', amount }) as const);
  return [
    { kind: 'resource', name: 'cpu', unit: 'millicores', amount: cpu },
    { kind: 'resource', name: 'memory', unit: 'bytes', amount: memory },
    { kind: 'resource', name: 'disk', unit: 'bytes', amount: disk },
    ...models.map(({ name, amount }) => ({ kind: 'model', name, unit: 'devices', amount }) as const),
    ...others,
  ];
}

/** How it divides, and why some of it cannot be sold: as the bars of the capacity do. */
export function nodeLine(detail: NodeDetail, { kind, name, unit, amount }: NodeAmount): CapacityLine {
  const { capacity, allocated, overcommitted, available } = amount;
  const division = divide([capacity, allocated - overcommitted, available], detail.state);
  return { kind, name, unit, division, why: whyOf(detail, name, unit, division.heldBack + division.unknown) };
}

function whyOf({ state, reasons, gpus }: NodeDetail, name: string, unit: CapacityLine['unit'], amount: number): readonly Withheld[] {
  if (amount === 0) return [];
  if (state !== 'sellable') return [{ state, code: reasons[0]?.code ?? 'Unexplained', amount, nodes: 0 }];
  if (unit !== 'devices') return [{ state: 'held-back', code: 'System', amount, nodes: 0 }];
  const sick = Math.min(gpus.filter((gpu) => gpu.model === name && gpu.state === 'quarantined').length, amount);
  const why: readonly Withheld[] = [
    { state: 'held-back', code: 'Quarantined', amount: sick, nodes: 0 },
    { state: 'held-back', code: 'NotOffered', amount: amount - sick, nodes: 0 },
  ];
  return why.filter((each) => each.amount > 0);
}
