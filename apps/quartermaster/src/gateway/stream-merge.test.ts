import { expect, it } from 'vitest';
import { StreamMerge } from './stream-merge.ts';

const news = (isNews: (line: string) => boolean, lines: string): string => lines.split('').filter(isNews).join('');

it('takes everything of one connection, repeated lines included', () => {
  expect(news(new StreamMerge({ repeats: false }).connection(), 'aabaa')).toBe('aabaa');
  expect(news(new StreamMerge({ repeats: true }).connection(), 'aabaa')).toBe('aabaa');
});

it('tells each line once while two connections bring it, whichever is first', () => {
  const merge = new StreamMerge({ repeats: false });
  const old = merge.connection();
  expect(news(old, 'xx')).toBe('xx');
  const settle = merge.compare();
  const fresh = merge.connection();
  // Before the other one began, within the time of both, and twice in it.
  expect(news(old, 'x')).toBe('x');
  expect(news(fresh, 'ab')).toBe('ab');
  expect(news(old, 'abac')).toBe('ac');
  expect(news(fresh, 'acd')).toBe('d');
  settle();
  expect(news(fresh, 'dd')).toBe('dd');
});

it('compares a third connection with the second alone', () => {
  const merge = new StreamMerge({ repeats: false });
  merge.compare()();
  const second = merge.connection();
  const settle = merge.compare();
  expect(news(second, 'a')).toBe('a');
  settle();
  merge.compare();
  const third = merge.connection();
  expect(news(third, 'a')).toBe('a');
  expect(news(second, 'a')).toBe('');
});

it('leaves out what a stream that begins anew repeats', () => {
  const merge = new StreamMerge({ repeats: true });
  expect(news(merge.connection(), 'aab')).toBe('aab');
  const settle = merge.compare();
  const fresh = merge.connection();
  expect(news(fresh, 'aabac')).toBe('ac');
  settle();
  expect(news(fresh, 'a')).toBe('a');
});

it('goes on comparing where an earlier comparison is over', () => {
  const merge = new StreamMerge({ repeats: false });
  const early = merge.compare();
  const old = merge.connection();
  merge.compare();
  early();
  const fresh = merge.connection();
  expect(news(old, 'a')).toBe('a');
  expect(news(fresh, 'a')).toBe('');
});
