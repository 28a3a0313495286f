import type { Tone } from './state.ts';

/** Whether something can be sold. */
export type SellState = 'sellable' | 'held-back' | 'unknown';

/** What an amount is, in the order in which it is decided: of a silent node nobody knows anything, and what is held back is not free, whoever has it. */
export type Fill = 'unknown' | 'held-back' | 'allocated' | 'reserved' | 'sellable';

const tones: Readonly<Record<Fill, Tone>> = {
  unknown: 'unknown',
  'held-back': 'held',
  allocated: 'allocated',
  reserved: 'reserved',
  sellable: 'good',
};

export const fillTone = (fill: Fill): Tone => tones[fill];

/** `held-back` -> `held back`. */
export const fillWord = (fill: Fill): string => fill.replace('-', ' ');
