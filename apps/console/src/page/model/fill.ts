import type { NodeSale } from '@quartermaster/api/inventory-views';
import type { Division, Fill } from '@quartermaster/api/states';

/** How a resource of a node divides; undefined where the node has none of it. */
export function divisionOf(sale: NodeSale, resource: 'gpu' | 'cpu' | 'memory' | 'disk'): Division | undefined {
  const [capacity, allocated, sellable, heldBack, unknown] = sale[resource] ?? [0, 0, 0, 0, 0];
  return capacity === 0 ? undefined : { allocated, sellable, heldBack, unknown };
}

/** How a resource divides where reservations are known, too: what is promised is not sellable any more. The five add up to all that there is. */
export interface SoldDivision extends Division {
  readonly reserved?: number | undefined;
}

export const totalOf = ({ allocated, reserved = 0, sellable, heldBack, unknown }: SoldDivision): number =>
  allocated + reserved + sellable + heldBack + unknown;

/** The parts that are not empty, in the order in which they are drawn. */
export function partsOf(division: SoldDivision): readonly { readonly fill: Fill; readonly amount: number }[] {
  const { allocated, reserved = 0, sellable, heldBack, unknown } = division;
  const parts: readonly { readonly fill: Fill; readonly amount: number }[] = [
    { fill: 'allocated', amount: allocated },
    { fill: 'reserved', amount: reserved },
    { fill: 'sellable', amount: sellable },
    { fill: 'held-back', amount: heldBack },
    { fill: 'unknown', amount: unknown },
  ];
  return parts.filter(({ amount }) => amount > 0);
}
