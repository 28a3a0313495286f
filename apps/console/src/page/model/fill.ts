import type { AmountTuple, Division, GpuView, NodeSale, SellState } from '../../inventory-source.ts';
import type { Tone } from './node-state.ts';

/** What an amount counts as. Decided in this order: nothing is known of a silent node, and what is held back is not free, whoever has it. */
export type Fill = 'unknown' | 'held-back' | 'allocated' | 'sellable';

// what an amount counts as -> its fill on the screen
const tones: Readonly<Record<Fill, Tone>> = { unknown: 'unknown', 'held-back': 'held', allocated: 'allocated', sellable: 'good' };

export const fillTone = (fill: Fill): Tone => tones[fill];

/** What a card counts as. */
export function cardFill({ state, holder }: Pick<GpuView, 'state' | 'holder'>, node: SellState): Fill {
  if (node === 'unknown') return 'unknown';
  if (state === 'quarantined') return 'held-back';
  return holder === undefined ? node : 'allocated';
}

/** Divides what there is as `cardFill` does a card. The four parts add up to the capacity, whatever the figures say. */
export function divide([capacity, allocated, available]: AmountTuple, state: SellState): Division {
  if (state === 'unknown') return { allocated: 0, sellable: 0, heldBack: 0, unknown: capacity };
  const taken = Math.min(Math.max(allocated, 0), capacity);
  const sellable = state === 'sellable' ? Math.min(Math.max(available, 0), capacity - taken) : 0;
  return { allocated: taken, sellable, heldBack: capacity - taken - sellable, unknown: 0 };
}

/** How a resource of a node divides; undefined where the node has none of it. */
export function divisionOf(sale: NodeSale, resource: 'gpu' | 'cpu' | 'memory' | 'disk'): Division | undefined {
  const amount = sale[resource];
  return amount === undefined || amount[0] === 0 ? undefined : divide(amount, sale.state);
}

export const totalOf = ({ allocated, sellable, heldBack, unknown }: Division): number => allocated + sellable + heldBack + unknown;

/** The parts that are not empty, in the order in which they are drawn. */
export function partsOf(division: Division): readonly { readonly fill: Fill; readonly amount: number }[] {
  const { allocated, sellable, heldBack, unknown } = division;
  const parts: readonly { readonly fill: Fill; readonly amount: number }[] = [
    { fill: 'allocated', amount: allocated },
    { fill: 'sellable', amount: sellable },
    { fill: 'held-back', amount: heldBack },
    { fill: 'unknown', amount: unknown },
  ];
  return parts.filter(({ amount }) => amount > 0);
}

/** `held-back` -> `held back`. */
export const fillWord = (fill: Fill): string => fill.replace('-', ' ');
