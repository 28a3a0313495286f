import { describe, expect, it } from 'vitest';
import { CharacterSet, word as wordSet } from './character-set.ts';
import type { PatternNode } from './pattern-node.ts';
import { PatternProgram } from './pattern-program.ts';

const set = (characters: string): PatternNode => ({ kind: 'set', set: CharacterSet.of(characters) });
const sequence = (...parts: readonly PatternNode[]): PatternNode => ({ kind: 'sequence', parts });
const repeat = (part: PatternNode, least: number, most?: number): PatternNode => ({ kind: 'repeat', part, least, most });
const assertion = (which: (PatternNode & { readonly kind: 'assertion' })['assertion']): PatternNode => ({
  kind: 'assertion',
  assertion: which,
});
const word: PatternNode = { kind: 'set', set: wordSet };

function matches(root: PatternNode, text: string): boolean | undefined {
  return PatternProgram.compile(root, 100)?.test(text);
}

describe('a program of a pattern', () => {
  it.each<[what: string, root: PatternNode, yes: readonly string[], no: readonly string[]]>([
    ['finds anywhere', sequence(set('a'), set('b')), ['ab', 'xaby'], ['', 'ba', 'a']],
    ['takes one of several ways', { kind: 'choice', options: [set('a'), set('bc')] }, ['a', 'xc'], ['x']],
    ['repeats between bounds', sequence(assertion('start'), repeat(set('a'), 2, 3), assertion('end')), ['aa', 'aaa'], ['a', 'aaaa']],
    ['repeats without an end', sequence(assertion('start'), repeat(set('a'), 1), assertion('end')), ['a', 'aaaaa'], ['', 'ab']],
    ['repeats nothing', sequence(repeat(sequence(), 0), set('a')), ['a'], ['b']],
    ['knows where words end', sequence(word, assertion('boundary')), ['a', 'a b', '-a-'], ['', '-']],
    ['knows where they go on', sequence(word, assertion('no-boundary')), ['ab'], ['a', 'a b']],
    ['reads whole characters', sequence(assertion('start'), set('😀'), assertion('end')), ['😀'], ['😁', '']],
    [
      'reads everything but some',
      sequence(assertion('start'), { kind: 'set', set: CharacterSet.of('a').inverted() }, assertion('end')),
      ['b', '😀'],
      ['a', 'bb'],
    ],
  ])('%s', (_what, root, yes, no) => {
    expect([yes.map((text) => matches(root, text)), no.map((text) => matches(root, text))]).toEqual([
      yes.map(() => true),
      no.map(() => false),
    ]);
  });

  it('is not made of a pattern that is too large, at once', () => {
    expect(matches(repeat(set('a'), 101), 'a')).toBeUndefined();
    const nothing = [1, 2, 3, 4].reduce<PatternNode>((inside) => repeat(inside, 1000, 1000), sequence());
    expect(matches(nothing, 'a')).toBeUndefined();
  });

  it('takes no time that explodes', () => {
    const nested = sequence(assertion('start'), repeat(repeat(set('a'), 1), 1), assertion('end'));
    expect(matches(nested, `${'a'.repeat(2000)}b`)).toBe(false);
  });
});

describe('a set of characters', () => {
  it('is joined with what others leave out', () => {
    const all = CharacterSet.range('a', 'c').and(CharacterSet.range('b', 'd').inverted());
    expect(['a', 'b', 'c', 'd', 'e', '😀'].map((character) => all.has(character.codePointAt(0) ?? 0))).toEqual([
      true,
      true,
      true,
      false,
      true,
      true,
    ]);
  });

  it('has both cases of its letters where that is asked for', () => {
    const cased = CharacterSet.of('aZ1').withBothCases();
    expect(Array.from('aAzZ1b', (character) => cased.has(character.charCodeAt(0)))).toEqual([true, true, true, true, true, false]);
  });
});
