import { describe, expect, it } from 'vitest';
import type { Host } from './host.ts';
import { hostState, powerWords } from './host-state.ts';

const host = (parts: Pick<Host, 'spec' | 'status'>, deleted?: string): Host => ({
  id: 'h',
  metadata: { name: '', tenants: [], version: '1', ...(deleted === undefined ? {} : { deletion_timestamp: deleted }) },
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

  it('says that sources are in conflict about it, while it is free', () => {
    const conditions = [{ type: 'HOST_CONDITION_TYPE_DEGRADED', status: 'CONDITION_STATUS_TRUE', reason: 'SourceConflict' }];
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
  ])('is %s and should be %s: %s', (is, shall, words) => {
    const spec = shall === undefined ? {} : { power_state: shall };
    const status = is === undefined ? {} : { power_state: is };
    expect(powerWords(host({ spec, status }))).toBe(words);
  });
});
