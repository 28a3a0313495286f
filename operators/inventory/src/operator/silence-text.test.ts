import { expect, it } from 'vitest';
import { silenceText } from './silence-text.ts';

const busy = 'do not tell how busy their GPUs are';

it('names who does not tell and why, a few of each', () => {
  expect(silenceText([], busy, 3)).toBeUndefined();
  const same = ['e', 'b', 'a', 'd', 'c'].map((node) => ({ node, reason: 'no token' }));
  expect(silenceText([...same, { node: 'x', reason: 'closed' }], busy, 9)).toBe(
    '6 of 9 agents do not tell how busy their GPUs are: no token (a, b, c and 2 more); closed (x)',
  );
  const many = Array.from({ length: 5 }, (_, index) => ({ node: `n${index}`, reason: `r${index}` }));
  expect(silenceText(many, busy, 5)).toBe('5 of 5 agents do not tell how busy their GPUs are: r0 (n0); r1 (n1); r2 (n2) and 2 more');
});
