import type { CapacityLine, StorageCard, Withheld } from '../../inventory-source.ts';
import { divide } from './fill.ts';

/** How a storage class divides, by the same rules as its bar among the others; undefined while its size is unknown. */
export function classLine({ name, amount, refusal }: StorageCard): CapacityLine | undefined {
  if (amount === undefined) return undefined;
  const { capacity, allocated, overcommitted, available } = amount;
  const division = divide([capacity, allocated - overcommitted, available], refusal === undefined ? 'sellable' : 'held-back');
  const why: readonly Withheld[] = [{ state: 'held-back', code: refusal?.code ?? 'System', amount: division.heldBack, nodes: 0 }];
  return { kind: 'class', name, unit: 'bytes', division, why };
}
