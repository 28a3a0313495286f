import { expect, it } from 'vitest';
import { wholeBytes } from './whole-bytes.ts';

it.each([
  ['5Gi', 5 * 2 ** 30],
  ['10Pi', Number.MAX_SAFE_INTEGER],
  ['1e1000', Number.MAX_SAFE_INTEGER],
  ['+2.5E+2147483647', Number.MAX_SAFE_INTEGER],
  ['1e-1000', 1],
  ['-5Gi', undefined],
  ['-1e1000', undefined],
  ['0e1000', undefined],
  ['e1000', undefined],
  ['1e1000x', undefined],
  ['', undefined],
])('takes %s for %s bytes', (text, bytes) => {
  expect(wholeBytes(text)).toBe(bytes);
});
