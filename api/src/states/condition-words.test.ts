import { expect, it } from 'vitest';
import { conditionOf, conditionWhy } from './condition-words.ts';

it.each([
  ['HUB_CONDITION_TYPE_CREDENTIALS_UNUSABLE', 'Credentials unusable'],
  ['HOST_CONDITION_TYPE_DISPUTED', 'Disputed'],
])('shows %s as something to mend', (type, word) => {
  expect(conditionOf({ type, status: 'CONDITION_STATUS_TRUE' })).toEqual({ word, says: 'True', tone: 'held' });
});

it('says why a condition is so, to a tenant in the words of its reason', () => {
  expect(conditionWhy({ reason: 'DiskFailed', message: 'Disk 3 is gone.' })).toBe('Disk 3 is gone.');
  expect(conditionWhy({ reason: 'DiskFailed' })).toBe('Disk failed');
  expect(conditionWhy({})).toBe('');
});
