import { FakeClock, StatusError } from '@quartermaster/kernel';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { failureOf } from '../test/failure-of.ts';
import { testDatabase } from '../test/feed-fixture.ts';
import { startProxy } from '../test/start-proxy.ts';
import { startTestPostgres, type TestPostgres } from '../test/start-test-postgres.ts';
import { createThings, raise } from '../test/things-fixture.ts';
import { until } from '../test/until.ts';
import type { Database, Transaction } from './database.ts';
import { databaseFailure } from './database-failure.ts';

let postgres: TestPostgres;
let url: string;
let database: Database;

beforeAll(async () => {
  postgres = await startTestPostgres();
});
afterAll(() => postgres.stop());

beforeEach(async () => {
  url = await postgres.createDatabase();
  database = testDatabase(url);
  await createThings(database);
});
afterEach(() => database.close());

describe('a transaction', () => {
  it('takes its locks before it gets a number, so that numbers and commits of one object have the same order', async () => {
    const order: string[] = [];
    let goOn = (): void => {};
    const held = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    const first = database.transaction(['things/b', 'things/a'], async (tx) => {
      const [row] = await tx.query<{ xid: string | null }>({ text: 'select pg_current_xact_id_if_assigned()::text as xid' });
      expect(row?.xid).toBeNull();
      await raise(tx, 'a');
      await held;
      order.push('first');
    });
    // Those of two objects, and of their kind.
    await until(async () => expect(await locks('t')).toBe(3));
    const other = testDatabase(url);
    const second = other.transaction(['things/a'], async (tx) => {
      expect(await tx.query({ text: "select from things where id = 'a'" })).toHaveLength(1);
      order.push('second');
    });
    await until(async () => expect(await locks('f')).toBe(1));
    goOn();
    await Promise.all([first, second]);
    expect(order).toEqual(['first', 'second']);
    await other.close();
  });

  it('holds off everybody who writes an object of a kind, when it holds the kind', async () => {
    const told: string[] = [];
    const { promise: held, resolve: goOn } = Promise.withResolvers<void>();
    const all = database.transaction(['things'], async (tx) => {
      await tx.query({ text: 'select' });
      await held;
      told.push('all');
    });
    await until(async () => expect(await locks('t')).toBe(1));
    const one = database.transaction(['things/a'], async (tx) => {
      await raise(tx, 'a');
      told.push('one');
    });
    await until(async () => expect(await locks('f')).toBe(1));
    goOn();
    await Promise.all([all, one]);
    expect(told).toEqual(['all', 'one']);
  });

  it('waits without a connection for a lock that its own process holds', async () => {
    const { promise: held, resolve: goOn } = Promise.withResolvers<void>();
    const first = database.transaction(['things/a'], async (tx) => {
      await tx.query({ text: 'select' });
      await held;
    });
    const others = Array.from({ length: 30 }, () => database.transaction(['things/a', 'things/b'], (tx) => raise(tx, 'a')));
    await until(async () => expect(await locks('t')).toBe(2));
    expect([await locks('f'), database.figures().waiting]).toEqual([0, 0]);
    goOn();
    await Promise.all([first, ...others]);
    expect(await database.query({ text: 'select count from things' })).toEqual([{ count: 30 }]);
  });

  it('gives up after 10 s behind others of its process that wait for a lock, however many there are', async () => {
    const { promise: held, resolve: goOn } = Promise.withResolvers<void>();
    const holding = database.transaction(['things/a'], async (tx) => {
      await tx.query({ text: 'select' });
      await held;
    });
    await until(async () => expect(await locks('t')).toBe(2));
    const clock = new FakeClock();
    const other = testDatabase(url, { clock });
    const first = other.transaction(['things/a'], (tx) => raise(tx, 'a'));
    const behind = Array.from({ length: 10 }, () => failureOf(other.transaction(['things/a'], (tx) => raise(tx, 'a'))));
    await until(async () => expect(await locks('f')).toBe(1));
    await clock.advance(10_000);
    for (const failure of await Promise.all(behind)) expect(failure).toMatchObject({ code: 'unavailable' });
    goOn();
    await Promise.all([holding, first]);
    expect(await other.transaction(['things/a'], (tx) => tx.query({ text: 'select count from things' }))).toEqual([{ count: 1 }]);
    await other.close();
  });

  it('never waits in a circle, in whatever order locks are named', async () => {
    const ids = ['a', 'b', 'c', 'd'];
    const both = Array.from({ length: 40 }, (_, index) => (index % 2 === 0 ? ids : ids.toReversed()));
    await Promise.all(
      both.map((order) =>
        database.transaction(
          order.map((id) => `things/${id}`),
          async (tx) => {
            for (const id of order) await raise(tx, id);
          },
        ),
      ),
    );
    const rows = await database.query<{ count: number }>({ text: 'select count from things' });
    expect(rows.map((row) => row.count)).toEqual([40, 40, 40, 40]);
  });

  it('runs again when PostgreSQL broke it off for another', async () => {
    let attempts = 0;
    let arrived = 0;
    const cross = (first: string, second: string): Promise<void> =>
      database.transaction([], async (tx) => {
        attempts += 1;
        await raise(tx, first);
        arrived += 1;
        if (attempts <= 2) await until(() => expect(arrived).toBeGreaterThanOrEqual(2));
        await raise(tx, second);
      });
    await Promise.all([cross('a', 'b'), cross('b', 'a')]);
    // On a busy server the one that was broken off may come back before the other goes on, and meet it once more.
    expect(attempts).toBeGreaterThanOrEqual(3);
    expect(await database.query({ text: 'select from things where count = 2' })).toHaveLength(2);
  });

  it('leaves nothing when its work fails', async () => {
    const failure = await failureOf(
      database.transaction(['things/a'], async (tx) => {
        await raise(tx, 'a');
        throw new StatusError('aborted', 'changed my mind');
      }),
    );
    expect(failure.message).toBe('changed my mind');
    expect(await database.query({ text: 'select from things' })).toHaveLength(0);
    expect(await locks('t')).toBe(0);
  });

  it('fails when one of its statements failed, even if the work went on', async () => {
    await database.query({ text: "insert into things values ('a')" });
    const failure = await failureOf(
      database.transaction([], async (tx) => {
        await tx.query({ text: "insert into things values ('a')" }).catch(() => {});
      }),
    );
    expect(failure.code).toBe('already_exists');
  });

  it('is over when its work is', async () => {
    let kept: Transaction | undefined;
    await database.transaction([], async (tx) => {
      kept = tx;
    });
    expect(await failureOf(kept?.query({ text: 'select' }) ?? Promise.resolve())).toMatchObject({ code: 'internal' });
  });

  it('takes two exchanges with the server when its last statement is known as such', async () => {
    let packets = 0;
    const proxy = await startProxy(url, () => {
      packets += 1;
      return false;
    });
    const proxied = testDatabase(proxy.url);
    await proxied.query({ text: 'select' });
    packets = 0;
    await proxied.transaction(['things/a'], async (tx) => {
      await Promise.all([tx.query({ text: 'select from things' }), tx.query({ name: 'one', text: 'select $1::int' }, [1])]);
      await tx.queryLast({ text: 'insert into things values ($1)' }, ['a']);
    });
    expect(packets).toBe(2);
    expect(await database.query({ text: 'select from things' })).toHaveLength(1);
    await proxied.close();
    await proxy.stop();
  });

  it('leaves nothing when its last statement fails, and takes none after it', async () => {
    const insert = (tx: Transaction) => tx.queryLast({ text: 'insert into things values ($1)' }, ['a']);
    const ended = database.transaction([], async (tx) => {
      await insert(tx);
      await raise(tx, 'b');
    });
    expect(await failureOf(ended)).toMatchObject({ code: 'internal', message: expect.stringContaining('has ended') });
    const failed = database.transaction([], async (tx) => {
      await raise(tx, 'b');
      await insert(tx);
    });
    expect(databaseFailure(await failureOf(failed))).toMatchObject({ constraint: 'things_id' });
    expect(await database.query<{ id: string }>({ text: 'select id from things' })).toEqual([{ id: 'a' }]);
  });

  it('runs no statement without its locks, although it was sent along with them', async () => {
    const hasty = testDatabase(url, { statementTimeoutMs: 1_000 });
    await database.transaction(['things/a'], async (tx) => {
      await tx.query({ text: 'select' });
      const failure = await failureOf(hasty.transaction(['things/a'], (other) => raise(other, 'a')));
      expect(databaseFailure(failure)).toMatchObject({ sqlState: '57014' });
    });
    expect(await database.query({ text: 'select from things' })).toHaveLength(0);
    await hasty.close();
  });

  it('sees one state of everything and cannot write, when it only reads', async () => {
    await database.transaction(
      [],
      async (tx) => {
        await tx.query({ text: 'select from things' });
        await database.query({ text: "insert into things values ('new')" });
        expect(await tx.query({ text: 'select from things' })).toHaveLength(0);
      },
      { isReadOnly: true },
    );
    const write = database.transaction([], (tx) => raise(tx, 'a'), { isReadOnly: true });
    expect(databaseFailure(await failureOf(write))).toMatchObject({ sqlState: '25006' });
  });

  it('refuses more locks than a server has room for', async () => {
    const many = Array.from({ length: 1_001 }, (_, index) => `things/${index}`);
    expect(await failureOf(database.transaction(many, async () => {}))).toMatchObject({ code: 'invalid_argument' });
    await database.transaction(many.slice(1), async () => {});
  });

  async function locks(granted: 't' | 'f'): Promise<number> {
    const [row] = await database.query<{ count: bigint }>(
      {
        text: "select count(*) from pg_locks where locktype = 'advisory' and granted = $1 and database = (select oid from pg_database where datname = current_database())",
      },
      [granted],
    );
    return Number(row?.count);
  }
});
