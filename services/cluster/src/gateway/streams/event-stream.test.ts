import { FakeClock } from '@quartermaster/kernel';
import type { CacheListener } from '@quartermaster/kube';
import { describe, expect, it } from 'vitest';
import { streamEvents } from './event-stream.ts';
import type { SeenEvent, TenantEvent } from './tenant-event.ts';

const event = (name: string, changed: Partial<SeenEvent> = {}): SeenEvent => ({
  ...{ type: 'Normal', reason: 'Started', note: '', controller: 'kubelet', kind: 'Pod', namespace: 'lease-1', name, at: 0 },
  ...changed,
});

/** Events of a namespace, as a cache follows them. */
function events() {
  const clock = new FakeClock();
  const listeners = new Set<CacheListener<SeenEvent>>();
  const synced = Promise.withResolvers<void>();
  const opened: string[] = [];
  let stopped = 0;
  const source = {
    clock,
    open: (namespace: string) => {
      opened.push(namespace);
      return {
        subscribe: (listener: CacheListener<SeenEvent>) => {
          listeners.add(listener);
          return () => void listeners.delete(listener);
        },
        whenSynced: () => synced.promise,
        stop: () => void (stopped += 1),
      };
    },
  };
  const tell = (value: SeenEvent, kind: 'added' | 'updated' | 'deleted' = 'added'): void => {
    const entry = { key: '', uid: '', resourceVersion: '', value };
    for (const listener of listeners) listener[kind]?.(entry, entry);
  };
  const ending = new AbortController();
  const names: string[] = [];
  const start = ({ follow, waits = async () => {} }: { readonly follow: boolean; readonly waits?: (of: TenantEvent) => Promise<void> }) =>
    streamEvents(
      source,
      { namespace: 'lease-1', follow },
      async (told) => {
        names.push(told.object.name);
        await waits(told);
      },
      ending.signal,
    ).then(
      () => 'done',
      (thrown: unknown) => thrown,
    );
  const left = () => [listeners.size, stopped];
  return { clock, opened, tell, names, start, left, synced: () => synced.resolve(), end: (why: unknown) => ending.abort(why) };
}

describe('events of a lease', () => {
  it('are those that there are, by their time, and end', async () => {
    const { opened, tell, names, start, left, synced } = events();
    const done = start({ follow: false });
    for (const [name, at] of [
      ['c', 3],
      ['a', 1],
      ['b', 2],
    ] as const)
      tell(event(name, { at }));
    synced();
    expect(await done).toBe('done');
    expect([opened, names, left()]).toEqual([['lease-1'], ['a', 'b', 'c'], [0, 1]]);
  });

  it('are all that there are, however many', async () => {
    const { tell, names, start, synced } = events();
    const done = start({ follow: false });
    const there = Array.from({ length: 1_500 }, (_, at) => `pod-${at}`);
    for (const [at, name] of there.entries()) tell(event(name, { at }));
    synced();
    await done;
    expect(names).toEqual(there);
  });

  it('go on with those that come and change, and not with those that go', async () => {
    const { clock, tell, names, start, left, synced, end } = events();
    const done = start({ follow: true });
    synced();
    await clock.advance(0);
    tell(event('a'));
    tell(event('a'), 'updated');
    tell(event('a'), 'deleted');
    tell(event('x', { kind: 'Node' }));
    tell(event('b'));
    await clock.advance(0);
    expect(names).toEqual(['a', 'a', 'b']);
    const why = new Error('over');
    end(why);
    expect(await done).toBe(why);
    expect(left()).toEqual([0, 1]);
  });

  it('that wait for a slow tenant are the newest', async () => {
    const { clock, tell, names, start, synced, end } = events();
    const gate = Promise.withResolvers<void>();
    void start({ follow: true, waits: () => gate.promise });
    synced();
    await clock.advance(0);
    tell(event('first'));
    await clock.advance(0);
    for (let at = 0; at < 1_500; at += 1) tell(event(`pod-${at}`));
    await clock.advance(0);
    expect(names).toEqual(['first']);
    gate.resolve();
    await clock.advance(0);
    expect([names.length, names.slice(0, 2), names.at(-1)]).toEqual([1_001, ['first', 'pod-500'], 'pod-1499']);
    end(new Error('over'));
  });

  it('that cannot be read are not none', async () => {
    const { clock, names, start, left } = events();
    const done = start({ follow: false });
    await clock.advance(10_000);
    expect(await done).toMatchObject({ code: 'unavailable', message: expect.stringContaining('try again') });
    expect([names, left()]).toEqual([[], [0, 1]]);
  });

  it('end with what the tenant does not take', async () => {
    const { tell, start, left, synced } = events();
    const gone = new Error('gone');
    const done = start({ follow: true, waits: () => Promise.reject(gone) });
    tell(event('a'));
    synced();
    expect(await done).toBe(gone);
    expect(left()).toEqual([0, 1]);
  });
});
