import type { CharacterSet } from './character-set.ts';

export type PatternAssertion = 'start' | 'end' | 'boundary' | 'no-boundary';

/** A regular expression as a tree. */
export type PatternNode =
  | { readonly kind: 'set'; readonly set: CharacterSet }
  | { readonly kind: 'assertion'; readonly assertion: PatternAssertion }
  | { readonly kind: 'sequence'; readonly parts: readonly PatternNode[] }
  | { readonly kind: 'choice'; readonly options: readonly PatternNode[] }
  | { readonly kind: 'repeat'; readonly part: PatternNode; readonly least: number; readonly most: number | undefined };
