import { quoted } from '../model/addresses.ts';
import { type Complete, type Completion, matching } from './completion.ts';

/** A key of plain filters. */
export interface TermKey {
  readonly name: string;
  readonly note: string;
  /** Worth a list; undefined where they are not. */
  readonly values?: (() => readonly Completion[]) | undefined;
}

/** Completes plain filters: keys, and the values that there are. */
export const completeTerms =
  (keys: readonly TermKey[]): Complete =>
  (text, caret) => {
    const word = /(?:^|\s)((?:(\w+):)?("[^"]*"?|[^\s"]*))$/.exec(text.slice(0, caret));
    if (word === null) return undefined;
    const [, typed = '', name, value = ''] = word;
    const values = keys.find((key) => key.name === name?.toLowerCase())?.values?.();
    if (values === undefined) {
      const options = matching(
        keys.map(({ name: key, note }) => ({ insert: `${key}:`, note })),
        typed,
      );
      return name !== undefined || typed === '' || options.length === 0 ? undefined : { from: caret - typed.length, to: caret, options };
    }
    const options = matching(
      values.map(({ insert, ...rest }) => ({ ...rest, insert: `${quoted(insert)} `, label: insert })),
      value.replaceAll('"', ''),
    );
    const isWhole = values.some(({ insert }) => quoted(insert) === value);
    return isWhole || options.length === 0 ? undefined : { from: caret - value.length, to: caret, options };
  };

export const distinct = (values: readonly string[]): readonly Completion[] => [...new Set(values)].toSorted().map((insert) => ({ insert }));
