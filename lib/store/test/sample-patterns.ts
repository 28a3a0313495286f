import fc, { type Arbitrary } from 'fast-check';

const atoms = [
  'a',
  'b',
  'é',
  '\u{1f600}',
  '.',
  '\\d',
  '\\D',
  '\\w',
  '\\W',
  '\\s',
  '\\S',
  '\\.',
  '\\-',
  '\\n',
  '-',
  ' ',
  '[ab]',
  '[^ab]',
  '[a-z0-9]',
  '[^\\s\\d]',
  '[\\w.]',
  '[-a]',
  '[é-\u{1f600}]',
  '\\\\',
];
const repetitions = ['', '', '', '*', '+', '?', '*?', '{2}', '{1,}', '{0,2}', '{0}'];

/** Random patterns of the part of RE2 that filters have. */
export function patterns(): Arbitrary<string> {
  const { choice } = fc.letrec<{ piece: string; sequence: string; choice: string }>((tie) => ({
    piece: fc.oneof(
      { depthSize: 'small', maxDepth: 2 },
      fc.tuple(fc.constantFrom(...atoms), fc.constantFrom(...repetitions)).map(([atom, repetition]) => atom + repetition),
      fc
        .tuple(fc.constantFrom('(', '(?:'), tie('choice'), fc.constantFrom(...repetitions))
        .map(([open, inside, end]) => `${open}${inside})${end}`),
    ),
    sequence: fc.array(tie('piece'), { minLength: 1, maxLength: 3 }).map((pieces) => pieces.join('')),
    choice: fc.array(tie('sequence'), { minLength: 1, maxLength: 2 }).map((options) => options.join('|')),
  }));
  return fc
    .tuple(fc.constantFrom('', '^'), choice, fc.constantFrom('', '$'))
    .map(([start, inside, end]) => `${start}${inside}${end}`)
    .filter(({ length }) => length <= 60);
}

/** Texts that such patterns match now and then. */
export const patternTexts: Arbitrary<string> = fc.string({
  unit: fc.constantFrom(
    'a',
    'b',
    'c',
    '1',
    '_',
    '-',
    '.',
    ' ',
    '\n',
    '\r',
    '\t',
    '\v',
    'é',
    'ÿ',
    '\u{2028}',
    '\u{1f600}',
    '\u{ffee}',
    '\\',
    '/',
  ),
  maxLength: 8,
});
