import { silentLog } from '@quartermaster/kernel';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { failureOf } from '../test/failure-of.ts';
import { startProxy } from '../test/start-proxy.ts';
import { startTestPostgres, type TestPostgres } from '../test/start-test-postgres.ts';
import { createThings, raise } from '../test/things-fixture.ts';
import { until } from '../test/until.ts';
import type { Database, Transaction } from './database.ts';
import { databaseFailure } from './database-failure.ts';
import { type OpenDatabaseOptions, openDatabase } from './open-database.ts';
import { formatTimestamp, type Timestamp } from './timestamp.ts';

/** On a server of one's own with TLS nobody in between can tell what passes. */
const isEncrypted = /sslmode=(?!disable)/.test(process.env['QUARTERMASTER_TEST_DATABASE_URL'] ?? '');

let postgres: TestPostgres;
let url: string;
let database: Database;

beforeAll(async () => {
  postgres = await startTestPostgres();
});
afterAll(() => postgres.stop());

beforeEach(async () => {
  url = await postgres.createDatabase();
  database = open();
  await createThings(database);
});
afterEach(() => database.close());

function open(options: Partial<OpenDatabaseOptions> = {}): Database {
  return openDatabase({ url, log: silentLog, ...options });
}

describe('values', () => {
  it('travel without loss', async () => {
    const at: Timestamp = { seconds: 1_794_744_328n, nanos: 123_457_000 };
    const sent = [
      2n ** 63n - 1n,
      formatTimestamp(at),
      Uint8Array.of(0, 1, 255),
      ['ä', 'a"b', 'c,d'],
      JSON.stringify({ n: [1, 'x'] }),
      [1n, -(2n ** 62n)],
    ];
    const [row] = await database.query<{ n: bigint; at: Timestamp; b: Uint8Array; t: string[]; j: unknown; ns: bigint[]; zone: string }>(
      {
        text: "select $1::bigint n, $2::timestamptz at, $3::bytea b, $4::text[] t, $5::jsonb j, $6::bigint[] ns, current_setting('timezone') zone",
      },
      sent,
    );
    expect(row).toMatchObject({ n: 2n ** 63n - 1n, at, t: ['ä', 'a"b', 'c,d'], j: { n: [1, 'x'] }, ns: [1n, -(2n ** 62n)], zone: 'UTC' });
    expect(Buffer.from(row?.b ?? [])).toEqual(Buffer.of(0, 1, 255));
  });

  it('are prepared under the name of their statement', async () => {
    const one = open({ poolSize: 1 });
    for (const id of ['a', 'b']) await one.query({ name: 'find-thing', text: 'select * from things where id = $1' }, [id]);
    expect(await one.query({ text: "select from pg_prepared_statements where name = 'find-thing'" })).toHaveLength(1);
    await one.close();
  });
});

describe('plans', () => {
  it('are made once per connection where the transaction keeps them, and for the values elsewhere', async () => {
    const one = open({ poolSize: 1 });
    const find = { name: 'find-things', text: 'select id from unnest($1::text[]) as id' };
    const plans = async () =>
      await one.query({ text: "select generic_plans, custom_plans from pg_prepared_statements where name = 'find-things'" });
    try {
      for (const id of ['a', 'b', 'c']) {
        await one.transaction(['things/a'], async (tx) => await tx.query(find, [[id]]), { keepsPlans: true });
      }
      expect(await plans()).toEqual([{ generic_plans: 3n, custom_plans: 0n }]);
      await one.transaction([], async (tx) => await tx.query(find, [['a']]));
      expect(await plans()).toEqual([{ generic_plans: 3n, custom_plans: 1n }]);
    } finally {
      await one.close();
    }
  });
});

describe('failures', () => {
  it('name the constraint and no value', async () => {
    const insert = { text: 'insert into things values ($1, $2)' };
    await database.query(insert, ['canary-7f3a', 1]);
    const taken = await failureOf(database.query(insert, ['canary-7f3a', 1]));
    expect(databaseFailure(taken)).toMatchObject({ sqlState: '23505', constraint: 'things_id', table: 'things' });
    const broken = await failureOf(database.query(insert, ['b', 9_999]));
    expect(broken).toMatchObject({ code: 'invalid_argument', message: expect.stringContaining('few') });
    const garbled = await failureOf(database.query(insert, ['c', 'canary-7f3a']));
    expect(garbled.code).toBe('invalid_argument');
    for (const failure of [taken, broken, garbled]) expect(`${failure.stack} ${JSON.stringify(failure)}`).not.toContain('canary');
  });

  it('of a statement that takes too long leave the connection usable', async () => {
    const hasty = open({ statementTimeoutMs: 1_000, poolSize: 1 });
    expect(await failureOf(hasty.query({ text: 'select pg_sleep(30)' }))).toMatchObject({ code: 'unavailable' });
    const [row] = await hasty.query<{ one: number }>({ text: 'select 1 as one' });
    expect(row?.one).toBe(1);
    expect(hasty.figures().open).toBe(1);
    await hasty.close();
  });

  it('of a URL that cannot be one come at once and do not show it', async () => {
    expect(() => open({ url: 'mysql://root:canary@localhost' })).toThrow(/must look like postgresql/);
    expect(() => open({ url: 'canary' })).not.toThrow(/canary/);
  });

  it('of a wrong password show nothing of it', async () => {
    const wrong = new URL(url);
    wrong.password = 'canary-7f3a';
    const stranger = open({ url: { reveal: () => wrong.href } });
    const failure = await failureOf(stranger.query({ text: 'select' }));
    expect(failure.code).toBe('unavailable');
    expect(failure.message).toContain('rejects the login');
    expect(`${failure.stack} ${JSON.stringify(failure)}`).not.toContain('canary');
    expect(stranger.isReachable()).toBe(false);
    await stranger.close();
  });

  it('are counted, with the names of statements and how long they took', async () => {
    const seen: string[] = [];
    const observed = open({
      observer: { query: (name, durationMs, outcome) => seen.push(`${name} ${outcome} ${durationMs >= 0}`) },
    });
    await observed.query({ name: 'good', text: 'select 1' });
    await observed.query({ name: 'bad', text: 'select 1/0' }).catch(() => {});
    await observed.query({ text: 'select' });
    expect(seen).toEqual(['good ok true', 'bad failed true', 'unnamed ok true']);
    await observed.close();
  });
});

describe('connections', () => {
  it('that the server ended are replaced, without a caller noticing', async () => {
    const few = open({ poolSize: 2 });
    await Promise.all([few.query({ text: 'select' }), few.query({ text: 'select' })]);
    await database.query({
      text: 'select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid() and datname = current_database()',
    });
    await few.transaction(['things/a'], (tx) => raise(tx, 'a'));
    expect(await database.query({ text: 'select from things' })).toHaveLength(1);
    await few.close();
  });

  it('that are lost in the middle of a transaction fail it, and nothing of it remains', async () => {
    const failure = await failureOf(
      database.transaction(['things/a'], async (tx) => {
        await raise(tx, 'a');
        const [row] = await tx.query<{ pid: number }>({ text: 'select pg_backend_pid() as pid' });
        await database.query({ text: 'select pg_terminate_backend($1)' }, [row?.pid]);
        await raise(tx, 'a');
      }),
    );
    expect(failure.code).toBe('unavailable');
    expect(databaseFailure(failure)?.isOutcomeUnknown).toBeUndefined();
    expect(await database.query({ text: 'select from things' })).toHaveLength(0);
  });

  it.skipIf(isEncrypted).each([
    ['a commit', (tx: Transaction) => raise(tx, 'a')],
    ['a last statement', (tx: Transaction) => tx.queryLast({ text: "insert into things values ('a')" })],
  ])('that are lost during %s leave its outcome open, and the error says so', async (_, work) => {
    const proxy = await startProxy(url, (data) => data.includes('commit'));
    const proxied = open({ url: proxy.url });
    const failure = await failureOf(proxied.transaction(['things/a'], work));
    expect(failure).toMatchObject({ code: 'unavailable', message: expect.stringContaining('may have been made or not') });
    expect(databaseFailure(failure)?.isOutcomeUnknown).toBe(true);
    // The server had received it: had the caller taken the error for a no, there would now be two.
    await until(async () => expect(await database.query({ text: 'select from things' })).toHaveLength(1));
    await proxied.close();
    await proxy.stop();
  });

  it('come back by themselves when the server does', async () => {
    const proxy = await startProxy(url);
    const reachable: boolean[] = [];
    const proxied = open({ url: proxy.url, observer: { reachable: (isReachable) => reachable.push(isReachable) } });
    await proxied.query({ text: 'select' });
    await proxy.pause();
    expect(await failureOf(proxied.query({ text: 'select' }))).toMatchObject({ code: 'unavailable' });
    expect(proxied.isReachable()).toBe(false);
    await proxy.resume();
    await until(() => expect(proxied.isReachable()).toBe(true));
    await proxied.query({ text: 'select' });
    expect(reachable).toEqual([false, true]);
    await proxied.close();
    await proxy.stop();
  });

  it('for notifications come back, too, and wake when they do', async () => {
    const woken: (string | undefined)[] = [];
    const stop = database.listen('bell', (payload) => woken.push(payload));
    await until(() => expect(woken).toEqual([undefined]));
    await database.query({ text: "select pg_notify('bell', 'one')" });
    await until(() => expect(woken).toEqual([undefined, 'one']));
    await database.query({
      text: "select pg_terminate_backend(pid) from pg_stat_activity where query like 'listen%' and datname = current_database()",
    });
    await until(() => expect(woken).toEqual([undefined, 'one', undefined]));
    await database.query({ text: "select pg_notify('bell', 'two')" });
    await until(() => expect(woken.at(-1)).toBe('two'));
    stop();
  });

  it('are given out in turn, and the figures tell who waits', async () => {
    const one = open({ poolSize: 1 });
    await one.transaction([], async () => {
      const waiting = one.query({ text: 'select' });
      expect(one.figures()).toEqual({ open: 1, idle: 0, waiting: 1, lost: 0 });
      void waiting.catch(() => {});
    });
    await until(() => expect(one.figures()).toEqual({ open: 1, idle: 1, waiting: 0, lost: 0 }));
    await one.close();
  });

  it('are refused after the end', async () => {
    const closed = open();
    await closed.close();
    await closed.close();
    expect(await failureOf(closed.query({ text: 'select' }))).toMatchObject({ code: 'unavailable' });
  });
});
