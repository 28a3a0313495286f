import { FakeClock, type Log, StatusError, silentLog } from '@quartermaster/kernel';
import { describe, expect, it } from 'vitest';
import { ConfigMapFuseStore, MemoryFuseStore } from './fuse-store.ts';
import { RoleFuse } from './role-fuse.ts';

const options = { name: 'hardware', what: 'facts', windowMs: 1_000, maxRemovals: 3 };
const unused = async () => await Promise.reject(new Error('nothing is written in this test'));
const term = { writer: { create: unused, replace: unused }, signal: new AbortController().signal };
const objects = (names: string) => names.split('').map((name) => ({ name, uid: `uid-${name}` }));

/** A process whose wall clock differs by so much, and what it removed. */
function fuseOn(store: ConstructorParameters<typeof RoleFuse>[0], skewMs = 0, log: Log = silentLog) {
  const clock = new FakeClock();
  clock.skewWall(skewMs);
  const fuse = new RoleFuse(store, options, { clock, log });
  const removed: string[] = [];
  const look = async (names: string) => {
    const seen = { due: objects(names), pending: [], total: 20 };
    await fuse.look(seen, async ({ name }) => removed.push(name) > 0, term);
  };
  return { clock, fuse, removed, look };
}

describe('the fuse of a role', () => {
  it('names the approver of a removal, and nobody who approves it again', async () => {
    const told: unknown[] = [];
    const { fuse, look } = fuseOn(new MemoryFuseStore(), 0, { ...silentLog, info: (_message, fields) => void told.push(fields) });
    await look('abcd');
    const id = fuse.waiting?.id ?? '';
    await fuse.approve(id, 'ann');
    expect((await fuse.approve(id, 'bob')).approval).toMatchObject({ by: 'ann' });
    expect(told).toEqual([{ removal: id, by: 'ann', objects: 4 }]);
  });

  it.each([
    [
      'cannot be read',
      async () => await Promise.reject(new StatusError('unavailable', 'get configmaps ns/x: ECONNREFUSED')),
      'ECONNREFUSED',
    ],
    ['is damaged', async () => ({ data: { hardware: '{' } }), 'hardware in ConfigMap ns/x is damaged'],
  ])('holds everything while its ConfigMap %s, and says so until it knows again', async (_case, find, reason) => {
    let answer: () => Promise<object | undefined> = find;
    // Only the entry that is looked for is read.
    const client = {
      find: async <T>() => (await answer()) as T | undefined,
      create: async <T>(_type: unknown, made: T) => made,
      replace: unused,
    };
    const { fuse, removed, look } = fuseOn(new ConfigMapFuseStore(client, { namespace: 'ns', name: 'x', fuse: 'hardware' }));
    for (const due of ['', 'a']) {
      await expect(look(due)).rejects.toThrow(reason);
      expect(fuse.problem()).toMatch(/^the removal of facts is suspended: /);
      expect(fuse.problem()).toContain(reason);
    }
    expect(removed).toEqual([]);
    answer = async () => await Promise.resolve(undefined);
    await look('');
    expect(fuse.problem()).toBeUndefined();
    answer = find;
    await expect(look('')).rejects.toThrow(reason);
    expect(fuse.problem()).toContain(reason);
    fuse.rest();
    expect(fuse.problem()).toBeUndefined();
  });

  it.each([-3_600_000, 0, 3_600_000])('counts what a leader removed whose clock differed by %d ms', async (skewMs) => {
    const store = new MemoryFuseStore();
    const first = fuseOn(store, skewMs);
    await first.look('abc');
    const second = fuseOn(store);
    await second.look('d');
    expect([first.removed, second.removed]).toEqual([['a', 'b', 'c'], []]);
    await second.clock.advance(options.windowMs);
    await second.look('d');
    expect(second.removed).toEqual(['d']);
  });

  it('holds nothing because one removal fails again and again, whether its answer is lost or a refusal', async () => {
    for (const code of ['unavailable', 'permission_denied'] as const) {
      const { clock, fuse, look, removed } = fuseOn(new MemoryFuseStore());
      const fail = async () => await Promise.reject(new StatusError(code, 'delete a'));
      for (let looks = 0; looks < 10; looks += 1) {
        await fuse.look({ due: objects('a'), pending: [], total: 20 }, fail, term);
        await clock.advance(10);
      }
      await look('abc');
      expect([fuse.problem(), removed]).toEqual([undefined, ['a', 'b', 'c']]);
    }
  });
});
