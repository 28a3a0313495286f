import { describe, expect, it } from 'vitest';
import { UnpublishedVolumes } from './unpublished-volumes.ts';

describe('volumes that a driver has made', () => {
  let free: Record<string, number> = {};
  /** Object -> the nodes of which it speaks; its own name unless given. */
  let nodes: Record<string, readonly string[]> = {};
  const group = (key: string, bytes: number, node = key, of = 'lvm') => ({ key, place: key, bytes, node, class: of });
  /** Class -> place -> when volumes were made there, and how large. */
  let young: Record<string, Record<string, readonly [at: number, bytes: number]>> = {};
  const madeSince = (of: string, time: number) =>
    new Map(Object.entries(young[of] ?? {}).flatMap(([place, [at, bytes]]) => (at > time ? [[place, bytes] as const] : [])));
  const speakingOf = (node: string) =>
    new Set(Object.keys(free).filter((object) => node === '' || (nodes[object] ?? [object]).includes(node)));
  const watch = () => {
    const volumes = new UnpublishedVolumes();
    return (groups: readonly ReturnType<typeof group>[], now = 0, classes = new Set(['lvm'])) =>
      Object.fromEntries(volumes.see('lvm', { classes, groups, published: new Map(Object.entries(free)), speakingOf, madeSince, now }));
  };

  it('are not in what it publishes until that falls', () => {
    free = { a: 100, b: 50 };
    const see = watch();
    expect(see([group('a', 20)])).toEqual({});
    expect(see([group('a', 30), group('b', 5)])).toEqual({ a: 10, b: 5 });
    expect(see([group('a', 33), group('b', 5)])).toEqual({ a: 13, b: 5 });
    free = { a: 87, b: 50 };
    expect(see([group('a', 33), group('b', 5)])).toEqual({ b: 5 });
  });

  it('are in it only as far as it falls, those first that were made first', () => {
    free = { a: 100 };
    const see = watch();
    see([]);
    expect(see([group('a', 10)], 0)).toEqual({ a: 10 });
    expect(see([group('a', 20)], 500)).toEqual({ a: 20 });
    free = { a: 90 };
    expect(see([group('a', 20)], 1000)).toEqual({ a: 10 });
    // It was the first that was published: the second waits by its own time.
    expect(see([group('a', 20)], 180_499)).toEqual({ a: 10 });
    free = { a: 84 };
    expect(see([group('a', 20)], 180_499)).toEqual({ a: 4 });
    expect(see([group('a', 20)], 180_500)).toEqual({});
  });

  it('are not in it because space was given back', () => {
    free = { a: 60 };
    const see = watch();
    see([group('a', 40)]);
    see([group('a', 10)]);
    expect(see([group('a', 30)])).toEqual({ a: 20 });
    free = { a: 90 };
    expect(see([group('a', 30)])).toEqual({ a: 20 });
    free = { a: 70 };
    expect(see([group('a', 30)])).toEqual({});
  });

  it('do not share in one fall: what is published of one is not of another in the same space', () => {
    free = { zone: 100 };
    nodes = { zone: ['a', 'b'] };
    const see = watch();
    see([]);
    expect(see([group('a', 10), group('also a', 10, 'a'), group('b', 10)])).toEqual({ a: 10, 'also a': 10, b: 10 });
    free = { zone: 85 };
    expect(see([group('a', 10), group('also a', 10, 'a'), group('b', 10)])).toEqual({ 'also a': 5, b: 10 });
  });

  it('wait for all that may speak of them, whichever comes first, and for one that replaces another', () => {
    free = { one: 100, two: 100 };
    nodes = { one: ['a'], two: ['a'], three: ['a'] };
    const see = watch();
    see([]);
    expect(see([group('a', 10)])).toEqual({ a: 10 });
    free = { one: 90, two: 100 };
    expect(see([group('a', 10)])).toEqual({ a: 10 });
    free = { one: 90, three: 100 };
    expect(see([group('a', 10)])).toEqual({ a: 10 });
    free = {};
    expect(see([group('a', 10)])).toEqual({ a: 10 });
    free = { two: 100 };
    expect(see([group('a', 10)])).toEqual({ a: 10 });
    free = { two: 90 };
    expect(see([group('a', 10)])).toEqual({});
  });

  it('wait for all of the class where they have no one node, and no longer than some minutes', () => {
    free = { east: 100, west: 50 };
    const see = watch();
    expect(see([])).toEqual({});
    const one = [group('anywhere', 10, '')];
    expect(see(one, 1000)).toEqual({ anywhere: 10 });
    free = { east: 90, west: 50 };
    expect(see(one, 2000)).toEqual({ anywhere: 10 });
    expect(see(one, 180_999)).toEqual({ anywhere: 10 });
    expect(see(one, 181_000)).toEqual({});
  });

  it('may have been made just before the first look, at them or at their class', () => {
    free = { a: 100 };
    nodes = {};
    young = { lvm: { a: [900_000, 10], b: [820_000, 10] }, other: { 'of other': [999_000, 5] } };
    const see = watch();
    expect(see([group('a', 30), group('b', 30)], 1_000_000)).toEqual({ a: 10 });
    const both = new Set(['lvm', 'other']);
    expect(see([group('a', 30), group('of other', 25, 'a', 'other')], 1_000_000, both)).toEqual({ a: 10, 'of other': 5 });
    free = { a: 88 };
    expect(see([group('a', 30), group('of other', 25, 'a', 'other')], 1_000_000, both)).toEqual({ 'of other': 3 });
    expect(see([group('a', 30), group('of other', 25, 'a', 'other')], 1_180_000, both)).toEqual({});
    young = {};
  });

  it('were there before where their class comes to share the space', () => {
    free = { a: 100 };
    const see = watch();
    see([group('a', 20)]);
    const both = new Set(['lvm', 'other']);
    expect(see([group('a', 20), group('of other', 30, 'a', 'other')], 0, both)).toEqual({});
    expect(see([group('a', 20), group('of other', 35, 'a', 'other')], 0, both)).toEqual({ 'of other': 5 });
  });

  it('are no more than there are', () => {
    free = { a: 100 };
    const see = watch();
    see([group('a', 20)]);
    expect(see([group('a', 50)])).toEqual({ a: 30 });
    expect(see([group('a', 10)])).toEqual({ a: 10 });
    expect(see([])).toEqual({});
  });
});
