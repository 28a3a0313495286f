import { describe, expect, it } from 'vitest';
import { hostState, powerShort, powerWords, type StatedHost } from './host-state.ts';

const host = (parts: Pick<StatedHost, 'spec' | 'status'>, deletion?: string): StatedHost => ({
  metadata: { deletion_timestamp: deletion },
  ...parts,
});

describe('the state of a host', () => {
  it.each([
    [{ state: 'HOST_STATE_READY' }, 'Ready', 'good'],
    [{ state: 'HOST_STATE_READY', cluster: 'c' }, 'In use', 'allocated'],
    [{ state: 'HOST_STATE_UNSPECIFIED', cluster: 'c' }, 'Claimed', 'reserved'],
    [{ state: 'HOST_STATE_UNSPECIFIED' }, 'Unknown', 'unknown'],
    [{ state: 'HOST_STATE_FAILED', cluster: 'c' }, 'Failed', 'failed'],
  ])('of %j is %s', (status, word, tone) => {
    expect(hostState(host({ status }))).toEqual({ word, tone });
  });

  it('says that it is disputed, while it is free', () => {
    const conditions = [{ type: 'HOST_CONDITION_TYPE_DISPUTED', status: 'CONDITION_STATUS_TRUE', reason: 'SourceConflict' }];
    expect(hostState(host({ status: { state: 'HOST_STATE_READY', conditions } }))).toEqual({ word: 'Disputed', tone: 'held' });
    expect(hostState(host({ status: { state: 'HOST_STATE_READY', cluster: 'c', conditions } })).word).toBe('In use');
    expect(hostState(host({ status: { state: 'HOST_STATE_FAILED', conditions } })).word).toBe('Failed');
  });

  it('says when it is on its way out, whatever else it is', () => {
    expect(hostState(host({ status: { state: 'HOST_STATE_READY' } }, '2026-01-01T00:00:00Z'))).toMatchObject({ word: 'Being deleted' });
  });

  it.each([
    ['HOST_POWER_STATE_ON', 'HOST_POWER_STATE_ON', 'on'],
    ['HOST_POWER_STATE_ON', 'HOST_POWER_STATE_OFF', 'on, should be off'],
    [undefined, 'HOST_POWER_STATE_ON', 'should be on'],
    [undefined, undefined, 'unknown'],
    ['HOST_POWER_STATE_OFF', 'HOST_POWER_STATE_UNSPECIFIED', 'off'],
  ])('is %s and should be %s: %s', (is, desired, words) => {
    expect(powerWords(host({ spec: { power_state: desired }, status: { power_state: is } }))).toBe(words);
  });

  it('has an arrow in a table where power is to change', () => {
    const power = (is: string | undefined, desired: string) =>
      powerShort(host({ spec: { power_state: `HOST_POWER_STATE_${desired}` }, status: { power_state: is } }));
    expect([power('HOST_POWER_STATE_OFF', 'ON'), power(undefined, 'ON'), power(undefined, 'UNSPECIFIED')]).toEqual([
      'off → on',
      '? → on',
      '–',
    ]);
  });
});
