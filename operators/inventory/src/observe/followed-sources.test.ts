import { FakeClock } from '@quartermaster/kernel';
import type { CacheStatus } from '@quartermaster/kube';
import { describe, expect, it } from 'vitest';
import { FollowedSources } from './followed-sources.ts';

class FakeSource {
  changes: Partial<CacheStatus>;

  constructor(changes: Partial<CacheStatus>) {
    this.changes = changes;
  }

  status(): CacheStatus {
    return {
      synced: true,
      state: 'watching',
      lastContactAt: 1000,
      absent: false,
      staleMs: 0,
      resourceVersion: '1',
      lastError: undefined,
      objects: 0,
      counters: { lists: 0, watches: 0, events: 0, bookmarks: 0, expirations: 0, silences: 0, errors: 0, handlerErrors: 0 },
      ...this.changes,
    };
  }

  subscribe(): () => void {
    return () => {};
  }

  async stop(): Promise<void> {}
}

const staleOf = (changes: Partial<CacheStatus>) => new FollowedSources({ a: new FakeSource(changes) }, new FakeClock()).stale();

describe('sources that are followed', () => {
  it('are stale as soon as they are not followed, with the failure', () => {
    expect(staleOf({})).toEqual([]);
    expect(staleOf({ state: 'listing' })).toEqual([]);
    expect(staleOf({ state: 'reconnecting', lastError: 'no answer' })).toEqual([{ source: 'a', lastContactAt: 1000, reason: 'no answer' }]);
    const never = { synced: false, state: 'reconnecting', lastContactAt: undefined, staleMs: undefined, lastError: 'forbidden' } as const;
    expect(staleOf(never)).toEqual([{ source: 'a', lastContactAt: undefined, reason: 'forbidden' }]);
  });

  it('know that a kind does not exist while its cache looks again, and are stale when the server is lost', () => {
    const source = new FakeSource({ synced: false, absent: true, state: 'kind-missing' });
    const sources = new FollowedSources({ source }, new FakeClock());
    expect([sources.haveAnswered(), sources.stale()]).toEqual([true, []]);
    source.changes = { ...source.changes, state: 'listing' };
    expect([sources.haveAnswered(), sources.stale()]).toEqual([true, []]);
    source.changes = { ...source.changes, state: 'reconnecting', lastError: 'no answer' };
    expect([sources.haveAnswered(), sources.stale().length]).toEqual([true, 1]);
  });

  it('have answered once all of them are read or known not to exist', async () => {
    const clock = new FakeClock();
    const one = new FakeSource({ synced: false, state: 'listing' });
    const two = new FakeSource({ synced: false, state: 'starting' });
    let isOver = false;
    const waiting = new FollowedSources({ one, two }, clock).whenReady(new AbortController().signal).then(() => {
      isOver = true;
    });
    one.changes = {};
    await clock.advance(200);
    expect(isOver).toBe(false);
    two.changes = { synced: false, absent: true, state: 'kind-missing' };
    await clock.advance(200);
    await waiting;
    expect(isOver).toBe(true);
  });

  it('can be given up waiting for', async () => {
    const giving = new AbortController();
    const silent = new FollowedSources({ silent: new FakeSource({ synced: false, state: 'listing' }) }, new FakeClock());
    const waiting = silent.whenReady(giving.signal);
    giving.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
  });
});
