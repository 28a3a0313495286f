import { expect, it } from 'vitest';
import { momentOf } from './api-words.ts';

it('knows no moment where there is none', () => {
  expect(momentOf(undefined)).toBeUndefined();
  expect(momentOf('1970-01-01T00:00:00Z')).toBeUndefined();
  expect(momentOf('2026-11-15T07:12:03.5Z')).toBe(1_794_726_723_500);
});
