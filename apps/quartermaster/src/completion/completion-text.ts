import type { Completion } from './complete.ts';

/** For the scripts of shells: a line each, `value<TAB>note`, and last which paths may be typed as well: `:files`, `:folders` or `:none`. */
export function completionText({ candidates, paths }: Completion): string {
  const lines = candidates.map(({ value, note }) => (note === '' ? value : `${value}\t${oneLine(note)}`));
  return [...lines, `:${paths}`].map((line) => `${line}\n`).join('');
}

const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ').trim();
