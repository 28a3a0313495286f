import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Pattern } from './pattern.ts';

const literal = fc.constantFrom(
  'a',
  'b',
  '0',
  '-',
  '\\.',
  '\\-',
  '.',
  '\\d',
  '\\w',
  '\\W',
  '[ab]',
  '[^a]',
  '[a-c0]',
  '[-a]',
  '[\\d_-]',
  '\\b',
  '^',
  '$',
);
const repeated = (atom: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc
    .tuple(atom, fc.constantFrom('', '', '*', '+', '?', '{2}', '{1,3}', '{0,}', '*?', '+?'))
    .map(([text, times]) => (times !== '' && /^(\\b|\^|\$)$/.test(text) ? text : text + times));
const patternOf = (...atoms: fc.Arbitrary<string>[]): fc.Arbitrary<string> =>
  fc
    .array(fc.array(repeated(fc.oneof(...atoms)), { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 2 })
    .map((options) => options.map((parts) => parts.join('')).join('|'));
const groupOf = (inside: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc.tuple(fc.constantFrom('(', '(?:'), inside).map(([open, source]) => `${open}${source})`);
const inner = groupOf(patternOf(literal));
// One level of groups: JavaScript may need exponential time for more.
const pattern = patternOf(literal, inner);
const text = fc.string({ unit: fc.constantFrom('a', 'b', 'c', '0', '9', '-', '.', '_'), maxLength: 7 });

describe('Pattern', () => {
  it('finds what the regular expressions of JavaScript find', () => {
    fc.assert(
      fc.property(pattern, fc.array(text, { minLength: 1, maxLength: 5 }), (source, texts) => {
        const ours = new Pattern(source);
        const theirs = new RegExp(source);
        for (const each of texts) expect([source, each, ours.test(each)]).toEqual([source, each, theirs.test(each)]);
      }),
      { numRuns: 1500 },
    );
  });

  it.each([
    ['^test.*', 'test-1', true],
    ['^test.*', 'my-test', false],
    ['test', 'my-test-1', true],
    ['(?i)^GPU-[a-c]+$', 'gpu-ABC', true],
    ['(?P<rack>r[0-9]+)-(?<host>h\\d{2})$', 'r12-h07', true],
    ['^[[:alpha:]]+-[[:^digit:]]$', 'node-x', true],
    ['^[]a]+$', ']a', true],
    ['\\Anode\\z', 'node', true],
    ['\\x61', 'a', true],
    ['a{,2}', 'a{,2}', true],
    ['^.$', '😀', true],
    ['^[α-ω😀]😁+$', '😀😁😁', true],
  ])('%s on %s: %s', (source, name, expected) => {
    expect(new Pattern(source).test(name)).toBe(expected);
  });

  it.each([
    ['', 'is empty'],
    ['(a', 'has a ( without a )'],
    ['a)', 'has a ) without a ('],
    ['[a', 'has a [ without a ]'],
    ['*a', 'has a * with nothing before it'],
    ['a**', 'repeats a repetition'],
    ['(?=a)b', 'look-around'],
    ['(?<!a)b', 'look-around'],
    ['(?#x)', 'group that is not supported'],
    ['(a)\\1', 'back-reference \\1'],
    ['\\q', 'unknown escape \\q'],
    ['[b-a]', 'does not rise'],
    ['[[:foo:]]', 'unknown class'],
    ['a{2,1}', 'does not rise'],
    ['a{1001}', 'does not rise from 0 to at most 1000'],
    ['((a{100}){100})', 'too large'],
    ['((((){1000}){1000}){1000}){1000}', 'too large'],
    ['('.repeat(60), 'nested deeper'],
    ['a'.repeat(1001), 'longer than'],
  ])('refuses %s', (source, rule) => {
    expect(() => new Pattern(source)).toThrow(rule);
  });

  it('answers at once for patterns on which backtracking never ends', () => {
    const name = `${'a'.repeat(252)}!`;
    for (const source of ['^(a+)+$', '^(a|a)*$', '^(a*)*b$', '(.*)(.*)(.*)(.*)(.*)x$', '^(([a-z])+.)+[A-Z]([a-z])+$']) {
      expect(new Pattern(source).test(name)).toBe(false);
    }
  });

  it('refuses or answers, whatever is written', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 30 }), text, (source, each) => {
        let made: Pattern;
        try {
          made = new Pattern(source);
        } catch (thrown) {
          expect(thrown).toMatchObject({ code: 'invalid_argument' });
          return;
        }
        expect(typeof made.test(each)).toBe('boolean');
      }),
      { numRuns: 2000 },
    );
  });
});
