import type { BidDecision as DecisionObject } from '@quartermaster/api/bid-decision';
import { FakeClock, StatusError, silentLog } from '@quartermaster/kernel';
import type { CacheEntry, CacheListener, CacheOpener, KubeWriter } from '@quartermaster/kube';
import { describe, expect, it } from 'vitest';
import type { BidDecision } from './bid-decision.ts';
import { readDecision } from './decision-object.ts';
import { DecisionStore } from './decision-store.ts';

const decision = (dseq: number, changed: Partial<BidDecision> = {}): BidDecision => ({
  ...{
    name: `alice-${dseq}-1-1`,
    order: { owner: 'alice', dseq: BigInt(dseq), gseq: 1, oseq: 1 },
    phase: 'Bid',
    reasons: [],
    changedAt: 0,
  },
  ...changed,
});

/** Objects as an API server has them, and a watch that shows them when it is told to. */
function world(options: { retentionMs?: number; most?: number } = {}) {
  const clock = new FakeClock();
  const objects = new Map<string, DecisionObject>();
  const entries = new Map<string, CacheEntry<BidDecision>>();
  const listeners = new Set<CacheListener<BidDecision>>();
  let version = 0;
  const writes: string[] = [];
  const failing: { with: StatusError | undefined } = { with: undefined };
  const stored = (object: DecisionObject): DecisionObject => {
    version += 1;
    const name = object.metadata?.name ?? '';
    const made = { ...object, metadata: { name, uid: name, resourceVersion: String(version) } };
    objects.set(name, made);
    return made;
  };
  const conflict = (kind: string) => new StatusError('aborted', kind, { details: { kind } });
  const writer = {
    create: async (_type: unknown, object: DecisionObject) => {
      if (failing.with !== undefined) throw failing.with;
      if (objects.has(object.metadata?.name ?? '')) throw conflict('already-exists');
      writes.push(`create ${object.metadata?.name}`);
      return stored(object);
    },
    patch: async (_type: unknown, { name }: { name: string }, { body }: { body: DecisionObject }) => {
      const before = objects.get(name);
      if (before === undefined) throw conflict('not-found');
      if (before.metadata?.resourceVersion !== body.metadata?.resourceVersion) throw conflict('conflict');
      writes.push(`patch ${name}`);
      return stored({ ...before, status: { ...body.status } as never });
    },
    delete: async (_type: unknown, { name }: { name: string }) => {
      writes.push(`delete ${name}`);
      objects.delete(name);
    },
  } as unknown as KubeWriter;
  const cache = {
    get: (key: string) => entries.get(key),
    entries: () => entries.values(),
    get size() {
      return entries.size;
    },
    subscribe: (listener: CacheListener<BidDecision>) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    status: () => ({ absent: false, synced: true }),
    whenSynced: () => new Promise<void>(() => {}),
    stale: () => undefined,
    stop: async () => {},
  };
  const caches = { open: () => cache } as unknown as CacheOpener;
  const reader = { find: async (_type: unknown, { name }: { name: string }) => objects.get(name) } as never;
  const store = new DecisionStore({ reader, caches, retentionMs: 1_000, most: 100, clock, log: silentLog, ...options });
  const show = (): void => {
    for (const [key, object] of objects) {
      const entry = { key, uid: key, resourceVersion: object.metadata?.resourceVersion ?? '', value: readDecision(object) };
      const before = entries.get(key);
      entries.set(key, entry);
      for (const listener of listeners)
        if (before === undefined) listener.added?.(entry);
        else listener.updated?.(entry, before);
    }
    for (const key of entries.keys()) if (!objects.has(key)) entries.delete(key);
  };
  return { clock, store, records: store.writtenBy(writer), writer, writes, objects, show, failing };
}

describe('records of decisions', () => {
  it('are there at once, and written once for each change', async () => {
    const { records, writes, show, store } = world();
    const bid = decision(1, { price: { denom: 'uakt', amount: '1' }, priceParts: new Map([['cpu', '1']]), bidAt: 5, orderedAt: 3 });
    await records.put(bid);
    expect(records.of(bid.name)).toBe(bid);
    await records.put(bid);
    show();
    expect(records.of(bid.name)).toEqual({ ...bid, reservedAt: undefined, wonAt: undefined, endedAt: undefined });
    await records.put(records.of(bid.name) ?? bid);
    await records.put({ ...bid, phase: 'Won' });
    expect(writes).toEqual(['create alice-1-1-1', 'patch alice-1-1-1']);
    expect(store.all()).toHaveLength(1);
  });

  it('are written over what somebody else has changed, or deleted', async () => {
    const { records, objects } = world();
    await records.put(decision(1));
    objects.set('alice-1-1-1', {
      ...(objects.get('alice-1-1-1') as DecisionObject),
      metadata: { name: 'alice-1-1-1', resourceVersion: '77' },
    });
    await records.put(decision(1, { phase: 'Lost' }));
    expect(objects.get('alice-1-1-1')?.status?.phase).toBe('Lost');
    objects.delete('alice-1-1-1');
    await records.put(decision(1, { phase: 'Closed' }));
    expect(objects.get('alice-1-1-1')?.status?.phase).toBe('Closed');
  });

  it('hold nobody up when they cannot be written, and are written when they can', async () => {
    const { records, failing, store, objects } = world();
    failing.with = new StatusError('permission_denied', 'no right to create');
    await records.put(decision(1));
    expect([store.problem(), records.of('alice-1-1-1')?.phase, objects.size]).toEqual([
      expect.stringContaining('no right to create'),
      'Bid',
      0,
    ]);
    failing.with = undefined;
    await records.put(records.of('alice-1-1-1') ?? decision(1));
    expect([store.problem(), objects.size]).toEqual([undefined, 1]);
  });

  it('of a flood of declined orders are written at a bounded rate, and the newest of the others are kept here', async () => {
    const { records, clock, writes, store } = world();
    for (let dseq = 1; dseq <= 5_000; dseq += 1) await records.put(decision(dseq, { phase: 'Declined' }));
    expect([writes.length, store.unwritten]).toEqual([100, 4_900]);
    expect(records.of('alice-5000-1-1')?.phase).toBe('Declined');
    expect(store.all().length).toBeLessThanOrEqual(1_000);
    await clock.advance(2_000);
    for (let dseq = 6_000; dseq <= 6_100; dseq += 1) await records.put(decision(dseq, { phase: 'Declined' }));
    expect(writes).toHaveLength(120);
    await records.put(decision(7_000));
    expect(writes.at(-1)).toBe('create alice-7000-1-1');
  });

  it('that cannot be read are waited for a while, and then hold nobody up', async () => {
    const { store, clock } = world();
    let isOver = false;
    void store.source.whenSynced(new AbortController().signal).then(() => (isOver = true));
    await clock.advance(9_000);
    expect(isOver).toBe(false);
    await clock.advance(1_000);
    expect(isOver).toBe(true);
    const stopped = new AbortController();
    const waiting = store.source.whenSynced(stopped.signal);
    stopped.abort(new Error('stopped'));
    await expect(waiting).rejects.toThrow('stopped');
  });

  it('are as few as they may be after they were deleted, however many there were', async () => {
    const { records, store, show, clock, writer, objects } = world({ most: 100, retentionMs: 60_000 });
    for (let dseq = 1; dseq <= 1_000; dseq += 1) await records.put(decision(dseq, { phase: 'Lost', endedAt: clock.now() }));
    show();
    await store.prune(writer);
    expect(objects.size).toBe(100);
  });

  it('are deleted when their time is over, and the oldest that ended when there are too many', async () => {
    const { records, store, show, clock, writer, objects } = world({ most: 3, retentionMs: 60_000 });
    const now = clock.now();
    for (const dseq of [1, 2, 3]) await records.put(decision(dseq, { phase: 'Lost', endedAt: now + dseq }));
    for (const dseq of [4, 5]) await records.put(decision(dseq));
    show();
    await store.prune(writer);
    expect([...objects.keys()]).toEqual(['alice-3-1-1', 'alice-4-1-1', 'alice-5-1-1']);
    show();
    await clock.advance(61_000);
    await store.prune(writer);
    expect([...objects.keys()]).toEqual(['alice-4-1-1', 'alice-5-1-1']);
  });
});
