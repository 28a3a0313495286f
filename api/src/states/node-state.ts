import { sentenceCase } from './enum-word.ts';
import { fillTone, fillWord, type SellState } from './fill.ts';
import { reasonWords } from './reason-words.ts';
import type { State } from './state.ts';

/** What the inventory makes of a node. */
export interface StatedNode {
  readonly state: SellState;
  /** Codes of the reasons why it is not sellable. */
  readonly why: readonly string[];
}

/** `Sellable`, or what keeps a node from being sold and why: `Held back: cordoned, disk pressure`. Undefined: nobody has said. */
export function nodeState({ state, why }: StatedNode = { state: 'unknown', why: [] }): State {
  const word = sentenceCase(fillWord(state));
  const isDown = state === 'held-back' && why.includes('NotReady');
  return { word: why.length === 0 ? word : `${word}: ${why.map(reasonWords).join(', ')}`, tone: isDown ? 'failed' : fillTone(state) };
}
