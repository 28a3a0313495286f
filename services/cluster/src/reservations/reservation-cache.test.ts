import type { Reservation as ReservationObject } from '@quartermaster/api/reservation';
import type { CacheListener } from '@quartermaster/kube';
import { beforeEach, describe, expect, it } from 'vitest';
import { node, one } from '../../test/sample-facts.ts';
import { SmallBook } from '../../test/small-book.ts';
import type { Reservation } from '../model/reservation.ts';
import { ReservationCache, type WatchedReservations } from './reservation-cache.ts';
import { readReservation, specOf } from './reservation-object.ts';

const name = 'akash1x-1-1-1';

/** A watch that tells what it is told to, when it is told to. */
class HandWatch implements WatchedReservations {
  readonly #entries = new Map<string, { key: string; uid: string; resourceVersion: string; value: Reservation }>();
  readonly #listeners = new Set<CacheListener<Reservation>>();
  synced = true;
  oddOnes: readonly { readonly key: string; readonly reason: string }[] = [];

  get size(): number {
    return this.#entries.size;
  }
  get = (key: string) => this.#entries.get(key);
  entries = () => this.#entries.values();
  byIndex = () => [];
  unreadable = () => this.oddOnes;
  lost: ReturnType<WatchedReservations['stale']>;
  stale = () => this.lost;
  whenSynced = async () => {};
  stop = async () => {};
  status = () => ({ synced: this.synced }) as ReturnType<WatchedReservations['status']>;
  subscribe = (listener: CacheListener<Reservation>) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  shows(object: ReservationObject): void {
    const value = readReservation(object);
    const { name: key, uid, resourceVersion } = value;
    const before = this.#entries.get(key);
    const entry = { key, uid, resourceVersion, value };
    this.#entries.set(key, entry);
    for (const listener of this.#listeners) {
      if (before?.uid === uid) listener.updated?.(entry, before);
      else listener.added?.(entry);
    }
  }

  showsGone(key: string): void {
    const before = this.#entries.get(key);
    this.#entries.delete(key);
    if (before !== undefined) for (const listener of this.#listeners) listener.deleted?.(before);
  }
}

describe('reservations in the book of a replica', () => {
  let watch: HandWatch;
  let book: SmallBook;
  let cache: ReservationCache;

  beforeEach(() => {
    watch = new HandWatch();
    book = new SmallBook([node('n1')]);
    cache = new ReservationCache(watch, book);
  });

  const attempt = (cpuMillis = 1_000): Reservation => {
    const request = one({ cpuMillis });
    const decision = book.decide(request);
    if (decision.kind === 'refused') throw new Error('does not fit');
    return {
      name,
      uid: '',
      resourceVersion: '',
      order: { owner: 'akash1x', dseq: 1n, gseq: 1, oseq: 1 },
      owner: 'akash1x',
      request,
      plan: decision.plan,
      phase: 'pending',
      isConfirmed: false,
      createdAt: 0,
      term: 1,
    };
  };
  const stored = (version: number, { uid = 'u1', confirmed = true, cpuMillis = 1_000 } = {}): ReservationObject => ({
    metadata: { name, uid, resourceVersion: String(version), creationTimestamp: '2026-01-01T00:00:00Z' },
    spec: specOf(attempt(cpuMillis)),
    status: confirmed ? { confirmed, phase: 'Pending' } : undefined,
  });
  const standing = () => {
    const reservation = book.reservation(name);
    return reservation && [reservation.uid, reservation.resourceVersion, reservation.isConfirmed];
  };
  const held = (): number => book.stock.holdsOf(name)?.nodes.get('n1')?.cpuMillis ?? 0;

  it('are those that the watch shows', () => {
    watch.shows(stored(5, { confirmed: false }));
    watch.shows(stored(6));
    expect([standing(), held()]).toEqual([['u1', '6', true], 1_000]);
    watch.showsGone(name);
    expect([standing(), held()]).toEqual([undefined, 0]);
  });

  it('are there with the answer, and no older event undoes it', () => {
    cache.hold(attempt());
    expect(held()).toBe(1_000);
    expect(cache.wrote(stored(5, { confirmed: false }))?.uid).toBe('u1');
    cache.wrote(stored(7));
    watch.shows(stored(5, { confirmed: false }));
    expect(standing()).toEqual(['u1', '7', true]);
    watch.shows(stored(7));
    watch.shows(stored(8));
    expect(standing()).toEqual(['u1', '8', true]);
  });

  it('are what the watch shows where that is ahead of the answer', () => {
    cache.hold(attempt());
    watch.shows(stored(5, { confirmed: false }));
    watch.shows(stored(6));
    expect(standing()).toEqual(['', '', false]);
    expect(cache.wrote(stored(5, { confirmed: false }))?.resourceVersion).toBe('6');
    expect(standing()).toEqual(['u1', '6', true]);
  });

  it('do not come back once they are gone, neither by a late event nor by a late answer', () => {
    cache.wrote(stored(5));
    cache.removed(name, 'u1');
    watch.shows(stored(5));
    expect(standing()).toBeUndefined();
    watch.showsGone(name);
    expect(cache.wrote(stored(6))).toBeUndefined();
    expect([standing(), held()]).toEqual([undefined, 0]);
    // Another one of the same name is another one.
    watch.shows(stored(9, { uid: 'u2' }));
    cache.removed(name, 'u1');
    expect(standing()).toEqual(['u2', '9', true]);
  });

  it('are those of the new object when an event of the old one of that name comes late', () => {
    watch.shows(stored(5));
    cache.removed(name, 'u1');
    cache.hold(attempt(2_000));
    cache.wrote(stored(9, { uid: 'u2', cpuMillis: 2_000 }));
    watch.shows(stored(6));
    watch.showsGone(name);
    expect([standing(), held()]).toEqual([['u2', '9', true], 2_000]);
  });

  it('are counted for an attempt whatever the watch shows, and are what it shows after that', () => {
    cache.hold(attempt(3_000));
    watch.shows(stored(5, { confirmed: false }));
    expect(held()).toBe(3_000);
    cache.release(name);
    expect([standing(), held()]).toEqual([['u1', '5', false], 1_000]);
    cache.release(name);
    expect(held()).toBe(1_000);
  });

  it('are what stood before when nothing comes of an attempt to change them', () => {
    cache.wrote(stored(5));
    cache.hold({ ...attempt(3_000), uid: 'u1', resourceVersion: '5' });
    cache.releaseAll();
    expect([standing(), held()]).toEqual([['u1', '5', true], 1_000]);
    cache.hold({ ...attempt(3_000), uid: 'u1', resourceVersion: '5' });
    cache.removed(name, 'u1');
    expect([standing(), held()]).toEqual([undefined, 0]);
  });

  it('may be old while the server is not followed', () => {
    expect(cache.stale()).toBeUndefined();
    watch.lost = { source: 'reservations', lastContactAt: Date.UTC(2026, 0), reason: 'connection refused' };
    expect([cache.stale(), cache.problem()]).toEqual([
      {
        code: 'ReservationsStale',
        message: 'reservations are shown as they were last heard of at 2026-01-01T00:00:00.000Z: connection refused',
      },
      undefined,
    ]);
  });

  it('are not all known before they were read, and while one cannot be', () => {
    watch.synced = false;
    expect(cache.problem()?.code).toBe('ReservationsUnknown');
    watch.synced = true;
    expect(cache.problem()).toBeUndefined();
    watch.oddOnes = [{ key: 'odd', reason: 'is odd' }];
    expect(cache.problem()).toEqual({ code: 'ReservationUnreadable', message: expect.stringContaining('Reservation odd') });
    watch.oddOnes = [];
    const { plan } = attempt();
    const spec = { ...stored(5).spec, plan: { ...specOf({ ...attempt(), plan }).plan, ports: -1 } };
    watch.shows({ ...stored(5), spec });
    expect([cache.unreadable().map((each) => each.name), standing()]).toEqual([[name], undefined]);
    watch.showsGone(name);
    expect(cache.problem()).toBeUndefined();
  });
});
