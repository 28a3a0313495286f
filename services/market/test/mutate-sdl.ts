import type { Random } from '@quartermaster/kernel';

type Mutation = (text: string, pick: Pick) => string;

/** A whole number below. */
type Pick = (below: number) => number;

const replaced = (text: string, at: number, length: number, by: string): string => text.slice(0, at) + by + text.slice(at + length);

/** What follows the colon of a line that has a value there. */
function withValue(text: string, pick: Pick, value: (old: string) => string): string {
  const values = [...text.matchAll(/: ([^\s{[|>&].*)$/gm)];
  const found = values[pick(values.length)];
  return found === undefined ? text : replaced(text, found.index + 2, (found[1] ?? '').length, value(found[1] ?? ''));
}

/** Looks behind, or a long word would be tried at each of its letters. */
const keyPattern = /(?<![\w-])[\w-]+(?=:)/g;

function withKey(text: string, pick: Pick, key: string): string {
  const keys = [...text.matchAll(keyPattern)];
  const found = keys[pick(keys.length)];
  return found === undefined ? text : replaced(text, found.index, found[0].length, key);
}

const from = <T>(pick: Pick, values: readonly T[]): T => values[pick(values.length)] as T;

const values = [
  '[]',
  '{}',
  '[[[]]]',
  'null',
  '~',
  'true',
  'false',
  '0',
  '-1',
  '-0',
  '1.5',
  '1e400',
  '.nan',
  '-.inf',
  '0x10',
  '0o17',
  '0b1',
  '1_000',
  '9007199254740993',
  '9'.repeat(400),
  '1e-30',
  '""',
  '"\\0"',
  '"\\ud800"',
  "'",
  '"',
  '|',
  '>-',
  '*a',
  '&a',
  '!!str x',
  '!x y',
  '@x',
  '`x',
  '%x',
  '2026-01-01',
  '2026-01-01T00:00:00Z',
  '<<',
  '__proto__',
  'constructor',
  'toString',
  'ibc/X',
  '5Ti',
  '1000000Ei',
  '0.0001Ki',
  '1..2Gi',
  '999999',
  '💥',
  '\u202e',
  '{ a: 1, a: 2 }',
  '${HOME}',
  ' ',
  'x'.repeat(70_000),
]; // prettier-ignore
const keys = [
  '__proto__',
  'constructor',
  'prototype',
  'hasOwnProperty',
  'toString',
  '<<',
  '""',
  '~',
  '1',
  '? a',
  '[a]',
  '{a: b}',
  '💥',
  'a/b~c',
  'x'.repeat(300),
  'include',
  'reclamation',
  'tee',
  'dependencies',
  'endpoints',
  'image',
]; // prettier-ignore
const bytes = [
  '\0',
  '\t',
  '\n',
  '\r',
  '\u0007',
  '\u00a0',
  '\u2028',
  '\ufeff',
  '\ud800',
  '"',
  "'",
  ':',
  '-',
  '#',
  '&',
  '*',
  '!',
  '|',
  '>',
  '%',
  '@',
  '{',
  '}',
  '[',
  ']',
  ',',
  '?',
  '\\',
  '0',
  'x',
  'é',
  '💥',
];

const bombs: readonly Mutation[] = [
  (text, pick) => `${text}x: ${'['.repeat(pick(5_000))}\n`,
  (text, pick) => `${text}${'- '.repeat(pick(5_000))}\n`,
  (text, pick) => `${text}x: ${'{a: '.repeat(pick(3_000))}\n`,
  (text, pick) => `${text}a: &a [1]\n${Array.from({ length: 1 + pick(8) }, (_, at) => `b${at}: &a [${'*a, '.repeat(9)}*a]`).join('\n')}\n`,
  (text, pick) => text.replace('env:', `env: &e [${'*e, '.repeat(pick(20))}*e] #`),
  (text, pick) => `${Array.from({ length: pick(3_000) }, (_, at) => `k${at}: 1`).join('\n')}\n${text}`,
];

/** Those that leave it YAML come first. */
const mutations: readonly Mutation[] = [
  (text, pick) => withValue(text, pick, () => from(pick, values)),
  (text, pick) => withValue(text, pick, (old) => `${old}${from(pick, ['0', 'x', '9'.repeat(5), '.5', 'm', 'Gi', '-1'])}`),
  (text, pick) => {
    const others = [...text.matchAll(/: ([^\s{[|>&].*)$/gm)].map(([, value]) => value ?? '');
    return withValue(text, pick, () => from(pick, others) ?? '');
  },
  (text, pick) => withKey(text, pick, from(pick, keys)),
  (text, pick) => {
    const others = [...text.matchAll(keyPattern)].map(([key]) => key);
    return withKey(text, pick, from(pick, others) ?? '');
  },
  (text, pick) => {
    const lines = text.split('\n');
    lines.splice(pick(lines.length), 1, ...from(pick, [[], ['', ''], [from(pick, lines), from(pick, lines)]]));
    return lines.join('\n');
  },
  (text, pick) => text.slice(0, pick(text.length)),
  (text, pick) => text.slice(pick(text.length)),
  (text, pick) => replaced(text, pick(text.length), 1, from(pick, bytes)),
  (text, pick) => replaced(text, pick(text.length), 0, from(pick, bytes)),
  (text, pick) => replaced(text, pick(text.length), 1 + pick(30), ''),
  (text, pick) => text.replace(/^( *)(?=\S)/gm, (indent) => (pick(30) === 0 ? ' '.repeat(pick(12)) : indent)),
];

/** One of the texts with a few things changed for the worse. The same random numbers make the same text. */
export function mutated(texts: readonly string[], random: Random): string {
  const pick: Pick = (below) => Math.floor(random.next() * below);
  let text = from(pick, texts);
  if (pick(100) === 0) text = from(pick, bombs)(text, pick);
  const harmless = pick(2) === 0 ? 6 : mutations.length;
  for (let left = 1 + pick(2); left > 0; left -= 1) text = from(pick, mutations.slice(0, harmless))(text, pick);
  return text;
}
