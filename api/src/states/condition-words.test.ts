import { expect, it } from 'vitest';
import { conditionOf, conditionWhy } from './condition-words.ts';

it('shows credentials that cannot be used as something to mend', () => {
  const condition = { type: 'HUB_CONDITION_TYPE_CREDENTIALS_UNUSABLE', status: 'CONDITION_STATUS_TRUE' };
  expect(conditionOf(condition)).toEqual({ word: 'Credentials unusable', says: 'True', tone: 'held' });
});

it('says why a condition is so, to a tenant in the words of its reason', () => {
  expect(conditionWhy({ reason: 'DiskFailed', message: 'Disk 3 is gone.' })).toBe('Disk 3 is gone.');
  expect(conditionWhy({ reason: 'DiskFailed' })).toBe('Disk failed');
  expect(conditionWhy({})).toBe('');
});
