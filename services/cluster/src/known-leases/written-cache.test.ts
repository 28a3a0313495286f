import { FakeClock } from '@quartermaster/kernel';
import type { Cache, CacheEntry, CacheListener } from '@quartermaster/kube';
import type { ConfigMap } from '@quartermaster/kube/shapes';
import { beforeEach, describe, expect, it } from 'vitest';
import { WrittenCache } from './written-cache.ts';

type Entry = CacheEntry<string>;

/** What a watch would have shown so far. */
class Followed {
  readonly entries = new Map<string, Entry>();
  #listener: CacheListener<string> = {};

  readonly cache = {
    get: (key: string) => this.entries.get(key),
    entries: () => this.entries.values(),
    byIndex: (_index: string, group: string) => [...this.entries.values()].filter(({ key }) => key.startsWith(`${group}/`)),
    subscribe: (listener: CacheListener<string>) => {
      this.#listener = listener;
      return () => {};
    },
  } as unknown as Cache<string>;

  show(entry: Entry): void {
    const before = this.entries.get(entry.key);
    this.entries.set(entry.key, entry);
    if (before === undefined) this.#listener.added?.(entry);
    else this.#listener.updated?.(entry, before);
  }

  delete(key: string): void {
    const before = this.entries.get(key);
    this.entries.delete(key);
    if (before !== undefined) this.#listener.deleted?.(before);
  }
}

const object = (resourceVersion: string, value: string, uid = 'u'): ConfigMap => ({
  metadata: { namespace: 'a', name: 'one', uid, resourceVersion },
  data: { value },
});
const entry = (resourceVersion: string, value: string, uid = 'u'): Entry => ({ key: 'a/one', uid, resourceVersion, value });

describe('a cache that shows what was written', () => {
  let followed: Followed;
  let clock: FakeClock;
  let written: WrittenCache<ConfigMap, string>;
  const seen = (): unknown => [
    written.get('a/one')?.value,
    written.in('a').map(({ value }) => value),
    written.all().map(({ value }) => value),
  ];
  const shows = (value: string): unknown => [value, [value], [value]];

  beforeEach(() => {
    followed = new Followed();
    clock = new FakeClock();
    const group = { index: 'group', of: ({ key }: Pick<Entry, 'key'>) => key.split('/')[0] ?? '' };
    written = new WrittenCache<ConfigMap, string>({ cache: followed.cache, project: ({ data }) => data?.['value'] ?? '', clock, group });
  });

  it('shows a new object before the watch does', () => {
    written.wrote(object('5', 'new'));
    expect(seen()).toEqual(shows('new'));
    expect(written.in('b')).toEqual([]);
  });

  it('shows a change before the watch does, and what the watch has after it', () => {
    followed.show(entry('5', 'old'));
    written.wrote(object('7', 'new'));
    followed.show(entry('6', 'between'));
    expect(seen()).toEqual(shows('new'));
    followed.show(entry('8', 'newer'));
    expect(seen()).toEqual(shows('newer'));
  });

  it('takes an answer that comes late for no news', () => {
    followed.show(entry('8', 'newer'));
    written.wrote(object('7', 'new'));
    expect(seen()).toEqual(shows('newer'));
  });

  it('has nothing left of what the watch shows to be deleted, and keeps its successor', () => {
    followed.show(entry('5', 'old'));
    written.wrote(object('7', 'new'));
    followed.delete('a/one');
    expect(seen()).toEqual([undefined, [], []]);
    followed.show(entry('9', 'other', 'v'));
    written.wrote(object('12', 'next', 'w'));
    followed.delete('a/one');
    expect(seen()).toEqual(shows('next'));
  });

  it('forgets what the watch never shows: it came and went between two lists', async () => {
    written.wrote(object('5', 'new'));
    await clock.advance(9_999);
    expect(seen()).toEqual(shows('new'));
    await clock.advance(1);
    expect(seen()).toEqual([undefined, [], []]);
  });

  it('forgets what was deleted by its uid', () => {
    written.wrote(object('5', 'new'));
    written.forget('a/one', 'other');
    expect(seen()).toEqual(shows('new'));
    written.forget('a/one', 'u');
    expect(seen()).toEqual([undefined, [], []]);
  });

  it('shows a change in the group that it is in now alone', () => {
    const group = { index: 'group', of: ({ value }: Pick<Entry, 'value'>) => value };
    const byValue = new WrittenCache<ConfigMap, string>({
      cache: followed.cache,
      project: ({ data }) => data?.['value'] ?? '',
      clock,
      group,
    });
    byValue.wrote(object('5', 'old'));
    byValue.wrote(object('6', 'new'));
    expect([byValue.in('old'), byValue.in('new').map(({ resourceVersion }) => resourceVersion)]).toEqual([[], ['6']]);
  });
});
