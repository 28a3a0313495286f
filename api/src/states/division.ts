import type { SellState } from './fill.ts';
import type { StatedGpu } from './gpu-state.ts';

/** How a resource divides. The four add up to all that there is. */
export interface Division {
  readonly allocated: number;
  readonly sellable: number;
  readonly heldBack: number;
  readonly unknown: number;
}

/** What of an amount on one node says how it divides. */
export interface DividedFrom {
  readonly capacity: number;
  readonly allocated: number;
  readonly available: number;
}

/** Cards of an amount that are in quarantine, and those of them that somebody holds. */
export interface SickCards {
  readonly all: number;
  readonly held: number;
}

export const noDivision: Division = { allocated: 0, sellable: 0, heldBack: 0, unknown: 0 };
export const noSickCards: SickCards = { all: 0, held: 0 };

export function sickCards(devices: readonly StatedGpu[]): SickCards {
  const sick = devices.filter(({ state }) => state === 'quarantined');
  return { all: sick.length, held: sick.filter(({ holder }) => holder !== undefined).length };
}

/**
 * Divides an amount of one node as `gpuFill` does a card: unknown before held back, held back before allocated, allocated before sellable. The four add up
 * to the capacity, whatever the amount says. Sums over nodes are sums of divisions: what one node promises too much takes nothing from another.
 */
export function divideAmount({ capacity, allocated: promised, available }: DividedFrom, node: SellState, sick = noSickCards): Division {
  if (node === 'unknown') return { ...noDivision, unknown: capacity };
  const fit = capacity - Math.min(sick.all, capacity);
  const allocated = Math.min(Math.max(promised - sick.held, 0), fit);
  const sellable = node === 'sellable' ? Math.min(available, fit - allocated) : 0;
  return { allocated, sellable, heldBack: capacity - allocated - sellable, unknown: 0 };
}

export const addDivisions = (a: Division, b: Division): Division => ({
  allocated: a.allocated + b.allocated,
  sellable: a.sellable + b.sellable,
  heldBack: a.heldBack + b.heldBack,
  unknown: a.unknown + b.unknown,
});
