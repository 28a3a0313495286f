import { describe, expect, it } from 'vitest';
import { staleReason } from './staleness.ts';

const reasonOf = (changes: Partial<Parameters<typeof staleReason>[0]>) =>
  staleReason({ synced: true, absent: false, state: 'watching', lastError: undefined, ...changes });

describe('a cache', () => {
  it('is stale as soon as it is not followed, with the failure', () => {
    expect(reasonOf({})).toBeUndefined();
    expect(reasonOf({ state: 'listing' })).toBeUndefined();
    expect(reasonOf({ state: 'reconnecting', lastError: 'no answer' })).toBe('no answer');
    expect(reasonOf({ synced: false, state: 'reconnecting', lastError: 'forbidden' })).toBe('forbidden');
    expect(reasonOf({ synced: false, state: 'starting' })).toBe('starting');
  });

  it('of a kind that does not exist is followed while it looks again, and stale when the server is lost', () => {
    expect(reasonOf({ synced: false, absent: true, state: 'kind-missing' })).toBeUndefined();
    expect(reasonOf({ synced: false, absent: true, state: 'listing' })).toBeUndefined();
    expect(reasonOf({ synced: false, absent: true, state: 'reconnecting', lastError: 'no answer' })).toBe('no answer');
  });
});
