import { asciiSets, CharacterSet } from '@quartermaster/kernel';

const { digit, lower, upper, space, word } = asciiSets;
const alpha = lower.and(upper);

const names: ReadonlyMap<string, CharacterSet> = new Map([
  ['alnum', alpha.and(digit)],
  ['alpha', alpha],
  ['digit', digit],
  ['lower', lower],
  ['upper', upper],
  ['space', space.and(CharacterSet.of('\v'))],
  ['word', word],
  ['xdigit', digit.and(CharacterSet.range('a', 'f')).and(CharacterSet.range('A', 'F'))],
]);

/** `[:alpha:]`, `[:^digit:]` …: by what is between the colons. */
export function namedClass(name: string): CharacterSet | undefined {
  return name.startsWith('^') ? names.get(name.slice(1))?.inverted() : names.get(name);
}
