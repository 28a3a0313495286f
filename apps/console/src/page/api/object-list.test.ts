import { FakeClock } from '@quartermaster/kernel';
import { beforeEach, describe, expect, it } from 'vitest';
import { ApiError } from './api-error.ts';
import type { ApiObject } from './api-object.ts';
import type { FeedEvent } from './event-feed.ts';
import { ObjectList, type PageRequest, pageSize } from './object-list.ts';

const named = (id: string, name = id): ApiObject => ({ id, metadata: { name, tenants: [], version: '1' } });
const updated = (object: ApiObject): FeedEvent => ({ kind: 'changed', id: 'e', type: 'updated', payload: 'host', object, at: undefined });

describe('a list that is read by pages', () => {
  let clock: FakeClock;
  let all: ApiObject[];
  let asked: PageRequest[];
  let failure: ApiError | undefined;
  let list: ObjectList<ApiObject>;

  beforeEach(() => {
    clock = new FakeClock();
    all = Array.from({ length: 100_000 }, (_, index) => named(`h${index}`));
    asked = [];
    failure = undefined;
    list = new ObjectList(async (request) => {
      asked.push(request);
      if (failure !== undefined) throw failure;
      const from = request.cursor === undefined ? (request.offset ?? 0) : Number(request.cursor);
      const items = all.slice(from, from + request.limit);
      return { items, total: request.isCounted ? all.length : undefined, nextCursor: String(from + items.length) };
    }, clock);
  });

  /** Lets timers and answers come. */
  const settle = async (ms = 100): Promise<void> => {
    await clock.advance(ms);
    for (let turn = 0; turn < 10; turn += 1) await Promise.resolve();
  };

  it('reads what is in sight and nothing else, however long it is', async () => {
    list.start();
    await settle();
    expect(list.current().total).toBe(100_000);
    expect(list.current().rows.at(3)).toMatchObject({ id: 'h3' });
    list.show(90_000, 90_040);
    await settle();
    expect(list.current().rows.at(90_010)).toMatchObject({ id: 'h90010' });
    expect(list.current().rows.at(50_000)).toBeUndefined();
    expect(asked).toHaveLength(2);
  });

  it('passes over what a fast scroll leaves behind', async () => {
    list.start();
    await settle();
    for (let row = 0; row < 80_000; row += 1_000) list.show(row, row + 40);
    await settle();
    expect(asked.map(({ offset }) => offset)).toEqual([0, 79_000]);
  });

  it('goes on by the cursor of the page before', async () => {
    list.start();
    await settle();
    list.show(pageSize - 10, pageSize + 30);
    await settle();
    expect(asked.at(-1)).toMatchObject({ cursor: String(pageSize) });
    expect(list.current().rows.at(pageSize + 1)).toMatchObject({ id: `h${pageSize + 1}` });
  });

  it('shows a change where the object stands at once, and then where it belongs', async () => {
    list.start();
    await settle();
    list.take(updated(named('h1', 'other')));
    expect(list.current().rows.at(1)).toMatchObject({ metadata: { name: 'other' } });
    all.splice(1, 1);
    await settle(1_100);
    expect(list.current()).toMatchObject({ total: 99_999, changes: 0 });
    expect(list.current().rows.at(1)).toMatchObject({ id: 'h2' });
  });

  it('moves nothing while the rows are held, counts what waits, and lets it in when asked', async () => {
    list.start();
    await settle();
    list.hold(true);
    all.unshift(named('new'));
    list.take({ kind: 'changed', id: 'e', type: 'created', payload: 'host', object: named('new'), at: undefined });
    await settle(5_000);
    expect(list.current().changes).toBe(1);
    expect(list.current().rows.at(0)).toMatchObject({ id: 'h0' });
    list.refresh();
    await settle();
    expect(list.current()).toMatchObject({ total: 100_001, changes: 0 });
    expect(list.current().rows.at(0)).toMatchObject({ id: 'new' });
  });

  it('keeps what it has when the service goes, and heals by itself', async () => {
    list.start();
    await settle();
    failure = new ApiError('unavailable', 'away');
    list.take(updated(named('h1')));
    await settle(1_100);
    expect(list.current().problem?.message).toBe('away');
    expect(list.current().rows.at(0)).toMatchObject({ id: 'h0' });
    failure = undefined;
    await settle(3_100);
    expect(list.current().problem).toBeUndefined();
  });

  it('does not repeat what the service refuses', async () => {
    failure = new ApiError('invalid_argument', 'filter: …');
    list.start();
    await settle(60_000);
    expect(asked).toHaveLength(1);
    expect(list.current().problem?.code).toBe('invalid_argument');
  });

  it('asks for nothing once it is stopped', async () => {
    list.start();
    await settle();
    list.stop();
    list.take(updated(named('h1')));
    list.show(5_000, 5_040);
    await settle(60_000);
    expect(asked).toHaveLength(1);
  });
});
