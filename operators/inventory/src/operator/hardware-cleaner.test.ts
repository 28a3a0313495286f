import { FakeClock, silentLog } from '@quartermaster/kernel';
import type { CacheStatus } from '@quartermaster/kube';
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

  get(key: string): object | undefined {
    return this.names.has(key) ? {} : undefined;
  }

  *entries(): Generator<{ readonly key: string; readonly uid: string }> {
    for (const key of this.names) yield { key, uid: `uid-${key}` };
  }

  status(): Pick<CacheStatus, 'state' | 'synced'> {
    return { state: this.state, synced: true };
  }
}

describe('HardwareCleaner', () => {
  let clock: FakeClock;
  let nodes: Names;
  let hardware: Names;
  /** Nodes that the API server has although the cache does not. */
  let hidden: Set<string>;
  let deleted: string[];
  let cleaner: HardwareCleaner;
  let ending: AbortController;
  let running: Promise<void>;

  beforeEach(() => {
    clock = new FakeClock();
    const names = Array.from({ length: 20 }, (_, index) => `n${index}`);
    nodes = new Names(names);
    hardware = new Names(names);
    hidden = new Set();
    deleted = [];
    ending = new AbortController();
    cleaner = new HardwareCleaner({
      nodes,
      hardware,
      // A name that is found is all that the cleaner looks at.
      reader: { find: async <T>(_type: unknown, { name }: { readonly name: string }) => (hidden.has(name) ? ({} as T) : undefined) },
      keepMs: hourMs,
      clock,
      log: silentLog,
    });
    running = cleaner.run(
      {
        delete: async (_type, { name }, options) => {
          deleted.push(options?.preconditions?.uid === `uid-${name}` ? name : `${name} without its uid`);
          hardware.names.delete(name);
        },
      },
      ending.signal,
    );
  });

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

  it('removes nothing while nodes are out of reach, and waits the whole hour after that', async () => {
    nodes.names.delete('n3');
    await clock.advance(hourMs / 2);
    nodes.state = 'reconnecting';
    await clock.advance(3 * hourMs);
    nodes.state = 'watching';
    await clock.advance(hourMs - 60_000);
    expect(deleted).toEqual([]);
    await clock.advance(180_000);
    expect(deleted).toEqual(['n3']);
  });

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

  it('leaves many at once to a person, and says so', async () => {
    for (let index = 0; index < 6; index += 1) nodes.names.delete(`n${index}`);
    await clock.advance(2 * hourMs);
    expect(deleted).toEqual([]);
    expect(cleaner.problem()).toContain('6 nodes that are gone');
    nodes.names.add('n0');
    await clock.advance(120_000);
    expect(deleted).toEqual(['n1', 'n2', 'n3', 'n4', 'n5']);
    expect(cleaner.problem()).toBeUndefined();
  });
});
