import { describe, expect, it } from 'vitest';
import { conditionOf, conditionWhy, enumWord, momentOf, stateOf } from './api-words.ts';

describe('words of the API', () => {
  it.each([
    ['HOST_STATE_READY', 'HOST_STATE', 'Ready'],
    ['HOST_POOL_STATE_PROGRESSING', 'HOST_POOL_STATE', 'Progressing'],
    ['HOST_STATE_UNSPECIFIED', 'HOST_STATE', ''],
    [undefined, 'HOST_STATE', ''],
  ])('%s is called %s %j', (value, prefix, word) => {
    expect(enumWord(value, prefix)).toBe(word);
  });

  it('takes a state that nobody has said for unknown, not for good', () => {
    expect(stateOf('HOST_STATE_UNSPECIFIED', 'HOST_STATE')).toEqual({ word: 'Unknown', tone: 'unknown' });
    expect(stateOf('HOST_STATE_FAILED', 'HOST_STATE')).toEqual({ word: 'Failed', tone: 'failed' });
  });

  it.each([
    ['HOST_CONDITION_TYPE_READY', 'CONDITION_STATUS_FALSE', { word: 'Ready', says: 'False', tone: 'held' }],
    ['HOST_CONDITION_TYPE_FAILED', 'CONDITION_STATUS_FALSE', { word: 'Failed', says: 'False', tone: 'plain' }],
    ['HOST_CONDITION_TYPE_FAILED', 'CONDITION_STATUS_TRUE', { word: 'Failed', says: 'True', tone: 'failed' }],
    ['HUB_CONDITION_TYPE_CREDENTIALS_UNUSABLE', 'CONDITION_STATUS_TRUE', { word: 'Credentials unusable', says: 'True', tone: 'held' }],
    ['CLUSTER_CONDITION_TYPE_DEGRADED', 'CONDITION_STATUS_UNSPECIFIED', { word: 'Degraded', says: 'Unknown', tone: 'unknown' }],
  ])('shows %s %s by what it means', (type, status, shown) => {
    expect(conditionOf({ type, status })).toEqual(shown);
  });

  it('says why a condition is so, to a tenant in the words of its reason', () => {
    expect(conditionWhy({ reason: 'DiskFailed', message: 'Disk 3 is gone.' })).toBe('Disk 3 is gone.');
    expect(conditionWhy({ reason: 'DiskFailed' })).toBe('Disk failed');
    expect(conditionWhy({})).toBe('');
  });

  it('knows no moment where there is none', () => {
    expect(momentOf(undefined)).toBeUndefined();
    expect(momentOf('1970-01-01T00:00:00Z')).toBeUndefined();
    expect(momentOf('2026-11-15T07:12:03.5Z')).toBe(1_794_726_723_500);
  });
});
