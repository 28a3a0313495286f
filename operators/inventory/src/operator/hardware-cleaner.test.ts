import { FakeClock, StatusError, silentLog } from '@quartermaster/kernel';
import type { CacheStatus } from '@quartermaster/kube';
import { MemoryFuseStore, RoleFuse } from '@quartermaster/runtime/host';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { HardwareCleaner, type LookedAt } from './hardware-cleaner.ts';

const hourMs = 3_600_000;

/** A cache with objects of these names. */
class Names implements LookedAt {
  readonly names: Set<string>;
  state: CacheStatus['state'] = 'watching';

  constructor(names: readonly string[]) {
    this.names = new Set(names);
  }

  get size(): number {
    return this.names.size;
  }

  get(key: string): { readonly resourceVersion: string } | undefined {
    return this.names.has(key) ? { resourceVersion: `1-${key}` } : undefined;
  }

  *entries(): Generator<{ readonly key: string; readonly uid: string }> {
    for (const key of this.names) yield { key, uid: `uid-${key}` };
  }

  status(): ReturnType<LookedAt['status']> {
    return { absent: this.state === 'kind-missing' };
  }

  stale(): ReturnType<LookedAt['stale']> {
    return this.state === 'watching' || this.state === 'kind-missing'
      ? undefined
      : { source: 'names', lastContactAt: undefined, reason: this.state };
  }
}

describe('HardwareCleaner', () => {
  let clock: FakeClock;
  let nodes: Names;
  let hardware: Names;
  /** Nodes that the API server has although the cache does not. */
  let hidden: Set<string>;
  let isAway: boolean;
  /** Facts that were written again, of which the cache has not heard. */
  let written: Set<string>;
  let deleted: string[];
  let store: MemoryFuseStore;
  let fuse: RoleFuse;
  let ending: AbortController;
  let running: Promise<void>;

  beforeEach(() => {
    clock = new FakeClock();
    const names = Array.from({ length: 20 }, (_, index) => `n${index}`);
    nodes = new Names(names);
    hardware = new Names(names);
    hidden = new Set();
    isAway = false;
    written = new Set();
    deleted = [];
    store = new MemoryFuseStore();
    start();
  });

  /** One more process on the same cluster. */
  function start(): void {
    ending = new AbortController();
    fuse = new RoleFuse(store, { name: 'hardware', what: 'facts', windowMs: hourMs }, { clock, log: silentLog });
    const cleaner = new HardwareCleaner({
      nodes,
      hardware,
      // A name that is found is all that the cleaner looks at.
      reader: {
        find: async <T>(_type: unknown, { name }: { readonly name: string }) => {
          if (isAway) throw new StatusError('unavailable', `get nodes ${name}: ECONNREFUSED`);
          return hidden.has(name) ? ({} as T) : undefined;
        },
      },
      fuse,
      keepMs: hourMs,
      clock,
      log: silentLog,
    });
    const unused = async () => await Promise.reject(new Error('the store of this test writes nothing'));
    running = cleaner.run({
      writer: {
        create: unused,
        replace: unused,
        delete: async (_type, { name }, options) => {
          const { uid, resourceVersion } = options?.preconditions ?? {};
          if (written.has(name) && resourceVersion === `1-${name}`) throw new StatusError('aborted', `delete nodehardwares ${name}: 409`);
          deleted.push(uid === `uid-${name}` ? name : `${name} without its uid`);
          hardware.names.delete(name);
        },
      },
      signal: ending.signal,
    });
  }

  afterEach(async () => {
    ending.abort();
    await running;
  });

  it('removes the facts of a node an hour after it went, and of no other', async () => {
    nodes.names.delete('n3');
    await clock.advance(hourMs);
    expect(deleted).toEqual([]);
    await clock.advance(120_000);
    expect(deleted).toEqual(['n3']);
    await clock.advance(3 * hourMs);
    expect(deleted).toEqual(['n3']);
  });

  it.each(['reconnecting', 'kind-missing'] as const)(
    'removes nothing while nodes are %s, and waits the whole hour after that',
    async (state) => {
      nodes.names.delete('n3');
      await clock.advance(hourMs / 2);
      nodes.state = state;
      await clock.advance(3 * hourMs);
      nodes.state = 'watching';
      await clock.advance(hourMs - 60_000);
      expect(deleted).toEqual([]);
      await clock.advance(180_000);
      expect(deleted).toEqual(['n3']);
    },
  );

  it('removes nothing when there are no nodes at all, which is nothing that a cluster can be', async () => {
    nodes.names.clear();
    await clock.advance(10 * hourMs);
    expect(deleted).toEqual([]);
  });

  it('believes the API server, when that has the node after all', async () => {
    nodes.names.delete('n3');
    hidden.add('n3');
    await clock.advance(3 * hourMs);
    expect(deleted).toEqual([]);
  });

  it('does not remove facts that were written again since it looked', async () => {
    nodes.names.delete('n3');
    written.add('n3');
    await clock.advance(hourMs + 120_000);
    expect(deleted).toEqual([]);
    expect((await store.read()).removals).toEqual([]);
  });

  it('counts nothing that it did not remove', async () => {
    for (const name of ['n0', 'n1', 'n2']) hidden.add(name);
    for (const name of hidden) nodes.names.delete(name);
    await clock.advance(2 * hourMs);
    hidden.clear();
    await clock.advance(120_000);
    expect(deleted).toEqual(['n0', 'n1', 'n2']);
  });

  it('counts nothing of which it could not even ask whether the node is gone', async () => {
    isAway = true;
    lose(3);
    await clock.advance(hourMs + 120_000);
    lose(5);
    await clock.advance(hourMs + 60_000);
    expect(deleted).toEqual([]);
    expect((await store.read()).removals).toEqual([]);
    isAway = false;
    await clock.advance(60_000);
    expect(deleted).toEqual(['n0', 'n1', 'n2', 'n3', 'n4']);
  });

  const lose = (count: number): void => {
    for (let index = 0; index < count; index += 1) nodes.names.delete(`n${index}`);
  };

  it('leaves many at once to a person, and says so', async () => {
    lose(6);
    await clock.advance(2 * hourMs);
    expect(deleted).toEqual([]);
    expect(fuse.problem()).toMatch(
      /^6 facts are kept \(n0, n1, n2, …\), because 6 of 20 are due.*: `quartermaster removals approve hardware-[0-9a-f]{12}` removes them$/,
    );
    nodes.names.add('n0');
    await clock.advance(120_000);
    expect(deleted).toEqual(['n1', 'n2', 'n3', 'n4', 'n5']);
    expect(fuse.problem()).toBeUndefined();
  });

  it('removes what a person approved, also after a restart, and nothing that went later', async () => {
    lose(6);
    await clock.advance(2 * hourMs);
    const { id } = fuse.waiting ?? { id: '' };
    ending.abort();
    await running;
    expect(fuse.problem()).toBeUndefined();
    start();
    await clock.advance(120_000);
    expect(fuse.waiting?.id).toBe(id);
    await fuse.approve(id, 'ann');
    lose(12);
    await clock.advance(hourMs + 120_000);
    expect(deleted).toEqual(['n0', 'n1', 'n2', 'n3', 'n4', 'n5']);
    expect(fuse.waiting?.objects.map(({ name }) => name)).toEqual(['n6', 'n7', 'n8', 'n9', 'n10', 'n11'].toSorted());
  });

  it('is not hurried by a wall clock that jumps ahead', async () => {
    lose(3);
    await clock.advance(hourMs / 2);
    lose(6);
    await clock.advance(hourMs / 2 + 120_000);
    expect(deleted).toEqual(['n0', 'n1', 'n2']);
    clock.skewWall(10 * hourMs);
    await clock.advance(hourMs / 2);
    expect(deleted).toHaveLength(3);
    await clock.advance(hourMs / 2);
    expect(deleted).toHaveLength(6);
  });
});
