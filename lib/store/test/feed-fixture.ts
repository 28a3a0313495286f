import { type Clock, silentLog, systemClock, systemRandom } from '@quartermaster/kernel';
import pg from 'pg';
import type { Database, Transaction } from '../src/database.ts';
import type { Bookmark, Change } from '../src/feed/change.ts';
import { ChangeFeed, type ChangeFeedOptions } from '../src/feed/change-feed.ts';
import { migrate } from '../src/migrate.ts';
import { type OpenDatabaseOptions, openDatabase } from '../src/open-database.ts';
import { storeMigrations } from '../src/store-migrations.ts';
import { guardChanges } from './index.ts';

/** The tables of the store, and one of objects with versions to write. */
export async function createTables(url: string): Promise<void> {
  await migrate({ url }, { directory: storeMigrations.directory, log: silentLog });
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query('create table things (id text primary key, version bigint not null)');
  await client.end();
  await guardChanges(url);
}

export function testDatabase(url: string, options: Omit<Partial<OpenDatabaseOptions>, 'url'> = {}): Database {
  return openDatabase({ url, log: silentLog, ...options });
}

export function testFeed(database: Database, options: Partial<ChangeFeedOptions> & { readonly clock?: Clock } = {}): ChangeFeed {
  return new ChangeFeed({ database, clock: systemClock, random: systemRandom, log: silentLog, ...options });
}

/** A connection of its own with a transaction that is open: whoever begins it ends both. */
export async function beginTransaction(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query('begin');
  return client;
}

/** Raises the version of each thing by one, in one transaction, as the object store does: locks first, then what is there, then the writes. */
export async function touch(
  database: Database,
  ids: readonly string[],
  meanwhile?: () => Promise<void>,
): Promise<ReadonlyMap<string, bigint>> {
  return database.transaction(
    ids.map((id) => `things/${id}`),
    async (tx) => {
      const versions = new Map<string, bigint>();
      for (const id of ids) versions.set(id, await touchOne(tx, id));
      await meanwhile?.();
      return versions;
    },
  );
}

export async function touchOne(tx: Transaction, id: string, body: Uint8Array = new Uint8Array()): Promise<bigint> {
  const [row] = await tx.query<{ version: bigint }>(
    {
      name: 'touch',
      text: `with written as (insert into things values ($1, 1) on conflict (id) do update set version = things.version + 1 returning version)
        insert into changes (kind, type, object_id, version, tenants_before, tenants_after, body)
        select 'things', 'updated', $1, version, '{}', '{a,b}', $2 from written returning version`,
    },
    [id, body],
  );
  return row?.version ?? 0n;
}

/** Reads changes until the condition holds for what was read, bookmarks aside. */
export async function readUntil(
  items: AsyncIterator<Change | Bookmark, void, undefined>,
  isEnough: (changes: readonly Change[]) => boolean,
  changes: Change[] = [],
): Promise<readonly Change[]> {
  while (!isEnough(changes)) {
    const item = await items.next();
    if (item.done === true) throw new Error(`the feed ended after ${changes.length} changes`);
    if ('token' in item.value) changes.push(item.value);
  }
  return changes;
}

/** Begins to read: the first item is the bookmark that says so. */
export async function follow(
  feed: ChangeFeed,
  from?: string,
  signal: AbortSignal = new AbortController().signal,
): Promise<{ readonly items: AsyncGenerator<Change | Bookmark, void, undefined>; readonly bookmark: string }> {
  const items = feed.read(from, signal);
  const { value } = await items.next();
  if (value === undefined || !('bookmark' in value)) throw new Error('the first item is no bookmark');
  return { items, bookmark: value.bookmark };
}
