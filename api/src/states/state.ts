/** The fills of amounts and states, the same everywhere: dots, bars, tables and the colours of a terminal; plain for what needs none. */
export type Tone = 'allocated' | 'reserved' | 'good' | 'held' | 'failed' | 'unknown' | 'plain';

/** How something is: the word that every screen and command says, and its fill. */
export interface State {
  readonly word: string;
  readonly tone: Tone;
}
