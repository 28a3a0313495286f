import { expect, it } from 'vitest';
import { bearerOf } from './bearer-token.ts';

it.each([
  [undefined, undefined],
  ['Bearer abc', 'abc'],
  ['bearer  abc ', 'abc'],
  ['Basic abc', undefined],
  ['Bearer a b', undefined],
  ['Bearer', undefined],
])('the token of %s is %s', (header, token) => {
  expect(bearerOf(header)).toBe(token);
});
