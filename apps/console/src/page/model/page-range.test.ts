import { expect, it } from 'vitest';
import { pageRange } from './page-range.ts';

it.each([
  [{ found: 3, looked: 3, before: 0, isMore: false }, '3 in all'],
  [{ found: 200, looked: 200, before: 200, isMore: true }, '201–400, and more'],
  [{ found: 3, looked: 1_000, before: 0, isMore: true }, '3 among 1–1\u202f000, and more'],
  [{ found: 0, looked: 0, before: 0, isMore: false }, 'none'],
])('says of %j how far was looked', (looked, words) => {
  expect(pageRange(looked)).toBe(words);
});
