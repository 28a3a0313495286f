import { create } from '@bufbuild/protobuf';
import { timestampNow } from '@bufbuild/protobuf/wkt';
import { type Host, HostClassSchema, HostSchema, Hosts, MetadataSchema } from '@quartermaster/api/private';
import { startTestFulfillment, type TestFulfillment } from '@quartermaster/fulfillment/testing';
import { systemClock } from '@quartermaster/kernel';
import { KeptTotals, listObjects, objectColumns, type Page, type Queryable, type Statement, WriteBatch } from '@quartermaster/store';
import { compileFilter, compileOrder } from '@quartermaster/store/filter';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';

const hostCount = 1_400;
const filterText = 'this.spec.class == "a"';

describe('totals that are kept', () => {
  let service: TestFulfillment;
  let totals: KeptTotals;
  const statements: string[] = [];
  /** Called once, when a statement has been answered and before the list goes on. */
  let onAnswer: (() => Promise<unknown>) | undefined;

  beforeAll(async () => {
    service = await startTestFulfillment({ retention: { changesMs: 0 } });
    const { database, fulfillment } = service;
    const batch = new WriteBatch();
    const metadata = create(MetadataSchema, { tenants: ['shared'], creationTimestamp: timestampNow() });
    for (const id of ['a', 'b']) fulfillment.kinds.host_classes.store.create(batch, create(HostClassSchema, { id, metadata }));
    await database.transaction([], (tx) => batch.flush(tx));
    for (let first = 0; first < hostCount; first += 700) {
      const some = new WriteBatch();
      for (let index = first; index < first + 700; index += 1) {
        const host = create(HostSchema, {
          id: `h${index}`,
          metadata: { ...metadata, name: `n${index}` },
          spec: { class: index % 2 === 0 ? 'a' : 'b' },
        });
        fulfillment.kinds.hosts.store.create(some, host);
      }
      await database.transaction([], (tx) => some.flush(tx));
    }
  });
  beforeEach(() => {
    totals = new KeptTotals({ clock: systemClock, figures: () => service.database.figures() });
  });
  afterAll(async () => {
    await service.stop();
  });

  const list = async (limit: number): Promise<Page<Host>> => {
    const { store } = service.fulfillment.kinds.hosts;
    const recording: Queryable = {
      async query<R extends object>(statement: Statement, values?: readonly unknown[]): Promise<readonly R[]> {
        statements.push(statement.text);
        const rows = await service.database.query<R>(statement, values);
        const wait = onAnswer;
        onAnswer = undefined;
        await wait?.();
        return rows;
      },
    };
    const query = {
      filter: compileFilter(filterText, { roots: [{ variable: 'this', message: HostSchema }] }),
      filterText,
      order: compileOrder('', { message: HostSchema }),
      columns: () => objectColumns(store.type),
      offset: 0,
      limit,
      cursor: '',
      isCounted: true,
      now: new Date(),
    };
    return await listObjects(recording, store, query, totals);
  };
  const isKept = (): boolean => (statements.at(-1) ?? '').includes('pg_snapshot_xip');
  /** The total as counted, and then as kept: whoever counts does not wait until it is. */
  const untilKept = async (limit: number): Promise<readonly (number | undefined)[]> => {
    const seen = new Set<number | undefined>();
    do seen.add((await list(limit)).total);
    while (!isKept());
    return [...seen];
  };

  /** A transaction that others have begun on the same server holds it back. */
  const prune = async (): Promise<void> => {
    const isLong = async (): Promise<boolean> => (await service.database.query({ text: 'select from changes limit 2' })).length === 2;
    do await service.fulfillment.feed.prune();
    while (await isLong());
  };

  it('are exact in every list, while others change, create and delete what matches', { timeout: 60_000 }, async () => {
    const hosts = service.admin.client(Hosts);
    expect(await untilKept(10)).toEqual([hostCount / 2]);
    const over = new AbortController();
    const write = async (writer: number): Promise<void> => {
      for (let time = 0; !over.signal.aborted; time += 1) {
        const id = `h${(time * 31 + writer * 7) % hostCount}`;
        await hosts.update({ object: { id, spec: { class: time % 3 === 0 ? 'b' : 'a' } }, updateMask: { paths: ['spec.class'] } });
        const { object } = await hosts.create({ object: { spec: { class: 'a' } } });
        if (time % 2 === 0) await hosts.delete({ id: object?.id ?? '' });
      }
    };
    const seen: number[] = [];
    const read = async (): Promise<void> => {
      // Until the writers have moved the total often enough.
      for (let time = 0; time < 40 || new Set(seen).size < 6; time += 1) {
        // The page holds everything, so its length is what the total must be: both are of one moment.
        const { items, total } = await list(1_000);
        expect(isKept()).toBe(true);
        expect(total).toBe(items.length);
        seen.push(items.length);
      }
    };
    const writers = [0, 1, 2].map(write);
    await Promise.all([read(), read(), read()]).finally(() => over.abort());
    await Promise.all(writers);
  });

  it('are counted anew when the feed no longer has what changed since', async () => {
    const hosts = service.admin.client(Hosts);
    await untilKept(10);
    const before = (await list(1_000)).items.length;
    for (let index = 0; index < 3; index += 1) await hosts.create({ object: { spec: { class: 'a' } } });
    await prune();
    expect((await list(10)).total).toBe(before + 3);
    expect(isKept()).toBe(false);
  });

  it('are kept for lists of nothing but the total as well', async () => {
    const hosts = service.admin.client(Hosts);
    const [before = 0] = await untilKept(0);
    const { object } = await hosts.create({ object: { spec: { class: 'a' } } });
    expect(await list(0)).toEqual({ items: [], total: before + 1, nextCursor: '' });
    await hosts.delete({ id: object?.id ?? '' });
    expect((await list(0)).total).toBe(before);
    expect(isKept()).toBe(true);
    await hosts.create({ object: { spec: { class: 'a' } } });
    await prune();
    expect((await list(0)).total).toBe(before + 1);
    expect(isKept()).toBe(false);
  });

  it('are of the same moment as the page also when they cannot be carried forward', async () => {
    const hosts = service.admin.client(Hosts);
    const [before = 0] = await untilKept(10);
    await hosts.create({ object: { spec: { class: 'a' } } });
    await prune();
    onAnswer = () => hosts.create({ object: { id: '0-first', spec: { class: 'a' } } });
    const { items, total } = await list(10);
    expect([before + 1, before + 2]).toContain(total);
    expect(items.some(({ id }) => id === '0-first')).toBe(total === before + 2);
  });
});
