import { FakeClock } from '@quartermaster/kernel';
import type { CacheStatus, StaleCache } from '@quartermaster/kube';
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
      refused: false,
      staleMs: 0,
      resourceVersion: '1',
      lastError: undefined,
      objects: 0,
      counters: { lists: 0, watches: 0, events: 0, bookmarks: 0, expirations: 0, silences: 0, errors: 0, handlerErrors: 0 },
      ...this.changes,
    };
  }

  stale(): StaleCache | undefined {
    return this.changes.lastError === undefined ? undefined : { source: 'a', lastContactAt: 1000, reason: this.changes.lastError };
  }

  subscribe(): () => void {
    return () => {};
  }

  get(): undefined {}

  unreadable(): readonly never[] {
    return [];
  }

  async stop(): Promise<void> {}
}

describe('sources that are followed', () => {
  it('know that a kind does not exist while its cache looks again, and are stale while its cache is', () => {
    const source = new FakeSource({ synced: false, absent: true, state: 'kind-missing' });
    const sources = new FollowedSources([source], new FakeClock());
    expect([sources.haveAnswered(), sources.stale()]).toEqual([true, []]);
    source.changes = { ...source.changes, state: 'listing' };
    expect([sources.haveAnswered(), sources.stale()]).toEqual([true, []]);
    source.changes = { ...source.changes, state: 'reconnecting', lastError: 'no answer' };
    expect([sources.haveAnswered(), sources.stale()]).toEqual([true, [{ source: 'a', lastContactAt: 1000, reason: 'no answer' }]]);
  });

  it('have answered once all of them are read or known not to exist', async () => {
    const clock = new FakeClock();
    const one = new FakeSource({ synced: false, state: 'listing' });
    const two = new FakeSource({ synced: false, state: 'starting' });
    let isOver = false;
    const waiting = new FollowedSources([one, two], clock).whenAnswered(new AbortController().signal).then(() => {
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

  it('are ready without one that the server refuses, and without one that has failed for a while', async () => {
    const clock = new FakeClock();
    const refused = new FakeSource({ synced: false, state: 'reconnecting', lastError: '403', refused: true });
    await new FollowedSources([refused], clock).whenReady(new AbortController().signal);
    const slow = new FakeSource({ synced: false, state: 'listing' });
    let isOver = false;
    const waiting = new FollowedSources([refused, slow], clock).whenReady(new AbortController().signal).then(() => {
      isOver = true;
    });
    await clock.advance(60_000);
    expect(isOver).toBe(false);
    slow.changes = { ...slow.changes, lastError: 'no answer' };
    await clock.advance(50);
    await waiting;
    expect(isOver).toBe(true);
  });

  it('can be given up waiting for', async () => {
    const giving = new AbortController();
    const silent = new FollowedSources([new FakeSource({ synced: false, state: 'listing' })], new FakeClock());
    const waiting = silent.whenAnswered(giving.signal);
    giving.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
  });
});
