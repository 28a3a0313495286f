import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { patterns, patternTexts } from '../../../test/sample-patterns.ts';
import { FilterProblem } from './filter-problem.ts';
import { Pattern } from './pattern.ts';

/** The same sets, by the names that JavaScript has for them. */
function inJavaScript(pattern: string): string {
  const names: Readonly<Record<string, string>> = { '.': '[^\\n]', '\\s': '[\\t\\n\\f\\r ]', '\\S': '[^\\t\\n\\f\\r ]', '\\-': '[-]' };
  return pattern.replaceAll(/\[(?:\\.|[^\]\\])*\]|\\.|\./gsu, (piece) =>
    piece.startsWith('[') ? piece.replaceAll('\\s', '\\t\\n\\f\\r ') : (names[piece] ?? piece),
  );
}

describe('a pattern', () => {
  it('matches as the regular expressions of JavaScript do, where both mean the same', () => {
    fc.assert(
      fc.property(patterns(), fc.array(patternTexts, { maxLength: 20 }), (source, texts) => {
        const expected = new RegExp(inJavaScript(source), 'u');
        const pattern = new Pattern(source, 0);
        expect(texts.map((text) => pattern.test(text))).toEqual(texts.map((text) => expected.test(text)));
      }),
    );
  });

  it.each([
    ['', 'is empty'],
    ['a||b', 'is empty, or has an empty group or alternative'],
    ['()', 'is empty, or has an empty group or alternative'],
    ['(a', 'has a ( without a )'],
    ['a)', 'has a ) without a ('],
    ['[a', 'has a [ without a ]'],
    ['[]', 'has brackets with nothing in them'],
    ['[z-a]', 'has a range in brackets that begins at z and does not rise'],
    ['[[:alpha:]]', 'has a [ in brackets'],
    ['[\\D]', 'has \\D in brackets'],
    ['a**', 'repeats a repetition'],
    ['*a', 'has a * with nothing before it'],
    ['(^a)*', 'repeats ^ or $'],
    ['a{', 'has a { that begins no repetition'],
    ['a{5,2}', 'does not rise'],
    ['a{101}', 'does not rise from 0 to at most 100'],
    ['(a{100}){100}', 'is too large when its repetitions are written out'],
    ['(?=a)', 'such as look-around or flags'],
    ['(?i)a', 'such as look-around or flags'],
    ['(?P<n>a)', 'such as look-around or flags'],
    ['\\bword', 'has the escape \\b, which does not mean the same everywhere'],
    ['\\p{L}', 'has the escape \\p'],
    ['(a)\\1', 'has the escape \\1'],
    ['a\\', 'ends with a \\'],
    ['('.repeat(30), 'is nested deeper than 20 groups'],
    ['a'.repeat(501), 'is longer than 500 characters'],
  ])('that has no one meaning is refused: %s', (source, message) => {
    const make = (): Pattern => new Pattern(source, 3);
    expect(make).toThrow(FilterProblem);
    expect(make).toThrow(message);
  });

  it('takes no time that explodes', () => {
    expect(new Pattern('^(a+)+$', 0).test(`${'a'.repeat(2000)}b`)).toBe(false);
    expect(new Pattern('(a*)*(a*)*(a*)*b$', 0).test('a'.repeat(2000))).toBe(false);
  });
});
