import { randomBytes } from 'node:crypto';
import { FakeClock, seededRandom } from '@quartermaster/kernel';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { failureOf } from '../../test/failure-of.ts';
import { beginTransaction, createTables, follow, readUntil, testDatabase, testFeed, touch, touchOne } from '../../test/feed-fixture.ts';
import { startTestPostgres, type TestPostgres } from '../../test/start-test-postgres.ts';
import { until } from '../../test/until.ts';
import type { Database } from '../database.ts';
import type { Change } from './change.ts';
import type { ChangeFeed } from './change-feed.ts';
import { readLag } from './feed-lag.ts';
import { rowOverheadBytes } from './feed-retention.ts';
import { tokenExpired } from './position.ts';

let postgres: TestPostgres;
let url: string;
let database: Database;
let feed: ChangeFeed;
/** How often the table was read. */
let looks = 0;

beforeAll(async () => {
  postgres = await startTestPostgres({ prepare: createTables, isAlone: true });
});
afterAll(() => postgres.stop());

beforeEach(async () => {
  url = await postgres.createDatabase();
  database = testDatabase(url, {
    observer: {
      query: (name) => {
        if (name === 'feed-page') looks += 1;
      },
    },
  });
  feed = testFeed(database);
  feed.start();
});
afterEach(async () => {
  await feed.stop();
  await database.close();
});

const objects = (changes: readonly Change[]): readonly string[] => changes.map((change) => `${change.objectId}@${change.version}`);

async function placeOf(version: bigint): Promise<readonly string[]> {
  const text = 'select xid::text, seq::text from changes where version = $1 order by changes.xid, seq limit 1';
  const [row] = await database.query<{ xid: string; seq: string }>({ text }, [version]);
  return [row?.xid ?? '', row?.seq ?? ''];
}

describe('ChangeFeed', () => {
  it('tells what was committed after the reading began, with everything that the change had', async () => {
    await touch(database, ['before']);
    const { items } = await follow(feed);
    const body = Uint8Array.of(0, 255, 1);
    await database.transaction(['things/a'], (tx) => touchOne(tx, 'a', body));
    feed.wake();
    const [change] = await readUntil(items, (changes) => changes.length === 1);
    expect(change).toMatchObject({
      kind: 'things',
      type: 'updated',
      objectId: 'a',
      version: 1n,
      tenantsBefore: [],
      tenantsAfter: ['a', 'b'],
    });
    expect(Buffer.from(change?.body ?? [])).toEqual(Buffer.from(body));
    expect(Math.abs((change?.at.getTime() ?? 0) - Date.now())).toBeLessThan(60_000);
  });

  it('never skips what was inserted early and committed late', async () => {
    const { items } = await follow(feed);
    const early = await beginTransaction(url);
    await early.query(
      "insert into changes (kind, type, object_id, version, tenants_before, tenants_after, body) values ('things', 'created', 'early', 1, '{}', '{}', '')",
    );
    await touch(database, ['late']);
    feed.wake();
    const reading = readUntil(items, (changes) => changes.length === 2);
    // The reader has looked, and more than once, while the later change was there and the earlier one was not.
    const looked = looks;
    await until(() => expect(looks).toBeGreaterThan(looked + 2));
    await early.query('commit');
    await early.end();
    expect(objects(await reading)).toEqual(['early@1', 'late@1']);
  });

  it('goes on at once when an older transaction that held the feed back was given up', async () => {
    const { items } = await follow(feed);
    const early = await beginTransaction(url);
    await early.query('select pg_current_xact_id()');
    await touch(database, ['a']);
    feed.wake();
    const reading = readUntil(items, (changes) => changes.length === 1);
    await early.query('rollback');
    await early.end();
    expect(objects(await reading)).toEqual(['a@1']);
  });

  it('does not tell what was committed before the reading began and waits for an older transaction', async () => {
    const early = await beginTransaction(url);
    await early.query('select pg_current_xact_id()');
    await touch(database, ['before']);
    const { items } = await follow(feed);
    await touch(database, ['after']);
    feed.wake();
    await early.query('commit');
    await early.end();
    expect(objects(await readUntil(items, (changes) => changes.length === 1))).toEqual(['after@1']);
  });

  it('continues after any token, and repeats nothing', async () => {
    const { items, bookmark } = await follow(feed);
    for (const id of ['a', 'b', 'c', 'd']) await touch(database, [id, 'all']);
    feed.wake();
    const changes = await readUntil(items, (read) => read.length === 8);
    const again = await readUntil((await follow(feed, bookmark)).items, (read) => read.length === 8);
    expect(objects(again)).toEqual(objects(changes));
    for (const [index, { token }] of changes.slice(0, -1).entries()) {
      const rest = await readUntil((await follow(feed, token)).items, (read) => read.length === changes.length - index - 1);
      expect(objects(rest)).toEqual(objects(changes).slice(index + 1));
    }
  });

  it('gives all readers at the end of the feed the same change', async () => {
    const readers = [await follow(feed), await follow(feed)];
    const next = async (): Promise<readonly (Change | undefined)[]> => {
      await touch(database, ['a']);
      feed.wake();
      return (await Promise.all(readers.map(({ items }) => readUntil(items, (read) => read.length === 1)))).map((changes) => changes[0]);
    };
    await next();
    const [first, second] = await next();
    expect(first?.version).toBe(2n);
    expect(first).toBe(second);
  });

  it('gives a place before a list, from which a watch misses nothing of it', async () => {
    await touch(database, ['a']);
    const token = await feed.now();
    await touch(database, ['b']);
    const { items } = await follow(feed, token);
    expect(objects(await readUntil(items, (read) => read.length === 1))).toEqual(['b@1']);
  });

  it('keeps the versions of each object in order and complete under transactions over several objects', async () => {
    const random = seededRandom(11);
    const ids = ['a', 'b', 'c', 'd', 'e'];
    const { items } = await follow(feed);
    const second = testDatabase(url);
    const expected = new Map<string, bigint>();
    const writer = async (through: Database): Promise<void> => {
      for (let round = 0; round < 40; round += 1) {
        const chosen = ids.filter(() => random.next() < 0.5);
        const isGivenUp = random.next() < 0.2;
        const versions = await touch(through, chosen, async () => {
          if (random.next() < 0.3) await new Promise((resolve) => setImmediate(resolve));
          if (isGivenUp) throw new Error('given up');
        }).catch(() => new Map<string, bigint>());
        for (const [id, version] of versions) if (version > (expected.get(id) ?? 0n)) expected.set(id, version);
        feed.wake();
      }
    };
    await Promise.all([database, second, database, second, database, second].map(writer));
    await second.close();
    const total = [...expected.values()].reduce((sum, version) => sum + Number(version), 0);
    const changes = await readUntil(items, (read) => read.length === total);
    for (const id of ids) {
      const versions = changes.filter((change) => change.objectId === id).map((change) => Number(change.version));
      expect(versions).toEqual(Array.from({ length: Number(expected.get(id) ?? 0n) }, (_, index) => index + 1));
    }
  });

  it('is guarded in tests against changes of objects that were not locked', async () => {
    for (const id of ['a', 'ä', 'x'.repeat(300)]) {
      await touch(database, [id]);
      const failure = await failureOf(database.transaction(['things/other'], (tx) => touchOne(tx, id)));
      expect(failure.message).toContain('was changed without its lock');
    }
  });

  it('is the same feed in every process, woken by a notification', async () => {
    const other = testDatabase(url);
    const otherFeed = testFeed(other);
    otherFeed.start();
    const { items, bookmark } = await follow(otherFeed);
    for (let round = 0; round < 5; round += 1) {
      await touch(database, [`t${round}`]);
      feed.wake();
      await readUntil(items, (read) => read.length === 1);
    }
    const here = await readUntil((await follow(feed, bookmark)).items, (read) => read.length === 5);
    expect(objects(here)).toEqual(['t0@1', 't1@1', 't2@1', 't3@1', 't4@1']);
    await otherFeed.stop();
    await other.close();
  });

  it('finds changes of which nobody told it', async () => {
    const { items } = await follow(feed);
    await touch(database, ['a']);
    expect(objects(await readUntil(items, (read) => read.length === 1))).toEqual(['a@1']);
  });

  it('keeps nothing for readers that do not read, and loses nothing for them', async () => {
    const small = testFeed(database, { window: { maxRows: 16, maxBytes: 1 << 20 } });
    small.start();
    const [slow, dead, quick] = [await follow(small), await follow(small), await follow(small)];
    const ids = Array.from({ length: 700 }, (_, index) => `t${index}`);
    await touch(database, ids);
    small.wake();
    const all = ids.map((id) => `${id}@1`);
    expect(objects(await readUntil(quick.items, (read) => read.length === 700))).toEqual(all);
    expect(objects(await readUntil(slow.items, (read) => read.length === 700))).toEqual(all);
    // All that there is for the other one is in the table: it misses what is pruned there.
    expect(await testFeed(database, { retention: { maxAgeMs: 0 } }).prune()).toBeGreaterThan(600);
    expect(await failureOf(dead.items.next())).toMatchObject({ code: 'failed_precondition', details: tokenExpired });
    await small.stop();
  });

  it('says how far behind readers are, and which transaction holds them back', async () => {
    expect(await readLag(database, undefined)).toMatchObject({ behindMs: 0, holder: undefined });
    const { items } = await follow(feed);
    await touch(database, ['a']);
    feed.wake();
    const [change] = await readUntil(items, (changes) => changes.length === 1);
    const early = await beginTransaction(url);
    await early.query(`set application_name = 'forgetful'; select pg_current_xact_id()`);
    await touch(database, ['b']);
    await touch(database, ['c']);
    const { rows } = await early.query<{ pid: number }>('select pg_backend_pid() as pid');
    await until(async () => expect((await readLag(database, undefined)).behindMs).toBeGreaterThan(5));
    const held = await readLag(database, undefined);
    expect(held.holder).toMatchObject({ pid: rows[0]?.pid, application: 'forgetful', state: 'idle in transaction', preparedAs: undefined });
    expect(held.holder?.openMs).toBeGreaterThanOrEqual(held.behindMs);
    expect(held.bytes).toBeGreaterThan(8_000);
    await early.query('rollback');
    await early.end();
    await readUntil(items, (changes) => changes.length === 2);
    expect(await readLag(database, undefined)).toMatchObject({ behindMs: 0, holder: undefined });
    // A reader that stands further back has been told less, whoever may be to blame.
    const [xid = '', seq = ''] = await placeOf(change?.version ?? 0n);
    const behind = await readLag(database, { xid: BigInt(xid), seq: BigInt(seq) });
    expect([behind.behindMs > 0, behind.holder]).toEqual([true, undefined]);
  });

  it('measures it by itself, and says nothing while the database does not answer', async () => {
    await until(() => expect(feed.lag()).toMatchObject({ behindMs: 0 }));
    const closed = testDatabase(url);
    const clock = new FakeClock();
    const blind = testFeed(closed, { clock });
    blind.start();
    await clock.advance(0);
    await until(() => expect(blind.lag()).toBeDefined());
    await closed.close();
    await until(async () => {
      await clock.advance(5_000);
      expect(blind.lag()).toBeUndefined();
    });
    await blind.stop();
  });

  it('shows that it is still there, while nothing happens', async () => {
    const clock = new FakeClock();
    const quiet = testFeed(database, { clock });
    quiet.start();
    const { items, bookmark } = await follow(quiet);
    const next = items.next();
    await clock.advance(31_000);
    expect((await next).value).toEqual({ bookmark });
    await items.return();
    await quiet.stop();
  });

  it('ends a reader when its signal aborts, also while nothing happens', async () => {
    const abort = new AbortController();
    const { items } = await follow(feed, undefined, abort.signal);
    const next = items.next();
    abort.abort();
    expect(await next).toEqual({ value: undefined, done: true });
  });

  it('tells readers to come again when the process stops', async () => {
    const stopping = testFeed(database);
    stopping.start();
    const { items } = await follow(stopping);
    const failure = failureOf(items.next());
    await stopping.stop();
    expect(await failure).toMatchObject({ code: 'unavailable' });
  });

  it('prunes by age and size, and tells whoever missed something', async () => {
    const start = await feed.now();
    for (let round = 0; round < 10; round += 1) await touch(database, ['a']);
    const changes = await readUntil((await follow(feed, start)).items, (read) => read.length === 10);
    const keeper = testFeed(database, { retention: { maxBytes: 4.5 * (rowOverheadBytes + 1) } });
    expect(await keeper.prune()).toBe(5);
    expect(await keeper.prune()).toBe(0);

    for (const token of [start, changes[4]?.token]) {
      expect(await failureOf(follow(feed, token))).toMatchObject({ code: 'failed_precondition', details: tokenExpired });
    }
    const rest = await readUntil((await follow(feed, changes[5]?.token)).items, (read) => read.length === 4);
    expect(objects(rest)).toEqual(['a@7', 'a@8', 'a@9', 'a@10']);

    expect(await testFeed(database, { retention: { maxAgeMs: 0 } }).prune()).toBe(4);
    const { items } = await follow(feed, changes[9]?.token);
    await touch(database, ['a']);
    feed.wake();
    expect(objects(await readUntil(items, (read) => read.length === 1))).toEqual(['a@11']);
  });

  it('keeps about as many bytes as the retention says, however large the changes are', async () => {
    const write = (body: Uint8Array) => database.transaction(['things/a'], (tx) => touchOne(tx, 'a', body));
    for (let round = 0; round < 40; round += 1) await write(randomBytes(round % 2 === 0 ? 100 : 3_900));
    const keeper = testFeed(database, { retention: { maxBytes: 10 * (rowOverheadBytes + 2_000) } });
    const pruned = await keeper.prune();
    expect([28, 29, 30, 31]).toContain(pruned);
    expect(await keeper.prune()).toBeLessThan(4);
  });

  it('keeps what is younger than the retention', async () => {
    const start = await feed.now();
    await touch(database, ['a', 'b']);
    expect(await feed.prune()).toBe(0);
    expect(await readUntil((await follow(feed, start)).items, (read) => read.length === 2)).toHaveLength(2);
  });

  it('does not take an empty feed for a pruned one', async () => {
    const start = await feed.now();
    await touch(database, ['a']);
    feed.wake();
    expect(objects(await readUntil((await follow(feed, start)).items, (read) => read.length === 1))).toEqual(['a@1']);
  });

  it('refuses tokens of another database, of the future and made-up ones', async () => {
    const other = testDatabase(await postgres.createDatabase());
    const foreign = await testFeed(other).now();
    await other.close();
    expect(await failureOf(follow(feed, foreign))).toMatchObject({ code: 'failed_precondition', details: tokenExpired });
    const bytes = Buffer.from(await feed.now(), 'base64url');
    bytes.writeBigUInt64BE(1n << 40n, 8);
    expect(await failureOf(follow(feed, bytes.toString('base64url')))).toMatchObject({
      code: 'failed_precondition',
      details: tokenExpired,
    });
    expect(await failureOf(follow(feed, 'made up'))).toMatchObject({ code: 'invalid_argument' });
  });

  it('drops rows that came with a dump of another server', async () => {
    await database.query({
      text: "insert into changes (xid, kind, type, object_id, version, tenants_before, tenants_after, body) values ('9999999999', 'things', 'created', 'foreign', 1, '{}', '{}', '')",
    });
    const { items } = await follow(feed);
    await touch(database, ['a']);
    feed.wake();
    expect(objects(await readUntil(items, (read) => read.length === 1))).toEqual(['a@1']);
    expect(await database.query({ text: "select from changes where object_id = 'foreign'" })).toHaveLength(0);
  });
});
