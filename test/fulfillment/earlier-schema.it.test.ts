import { cp, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { create, toBinary } from '@bufbuild/protobuf';
import { Audit } from '@quartermaster/api/fulfillment-extras';
import * as priv from '@quartermaster/api/private';
import { migrateFulfillment } from '@quartermaster/fulfillment';
import { startTestFulfillment, type TestFulfillment } from '@quartermaster/fulfillment/testing';
import { createUuidV7, silentLog, systemClock, systemRandom } from '@quartermaster/kernel';
import { objectsMigrations } from '@quartermaster/objects';
import { ChangeFeed, KeyRing, migrate, openDatabase, redacted, storeMigrations } from '@quartermaster/store';
import { startTestPostgres, type TestPostgres } from '@quartermaster/store/testing';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { watching } from './watching.ts';

const migrations = fileURLToPath(new URL('../../services/fulfillment/migrations', import.meta.url));
const names = (await readdir(migrations)).filter((name) => name.endsWith('.sql')).toSorted();
/** The first has the objects; the feed and the audit log came with those after it. */
const earlier = names.slice(0, -1).map((name, index) => ({ name, count: index + 1 }));

let postgres: TestPostgres;

beforeAll(async () => {
  postgres = await startTestPostgres();
});

afterAll(() => postgres.stop());

/** A database as the release with so many of the migrations left it, with a host that somebody made by hand. */
async function databaseOf(count: number): Promise<string> {
  const own = await mkdtemp(join(tmpdir(), 'quartermaster-earlier-'));
  onTestFinished(() => rm(own, { recursive: true, force: true }));
  for (const name of names.slice(0, count)) await cp(join(migrations, name), join(own, name));
  const url = await postgres.createDatabase();
  expect(await migrate({ url }, { directory: own, log: silentLog })).toHaveLength(count);
  const host = {
    id: 'by-hand',
    metadata: { name: 'by-hand', tenants: ['shared'], creators: ['ann'], creationTimestamp: { seconds: 1_790_000_000n } },
    spec: { rack: 'r1', title: 'T' },
  };
  await queryOn(
    url,
    `insert into hosts (id, name, created_at, tenants, creators, data, body) values ($1, $1, to_timestamp(1790000000), '{shared}', '{ann}', $2, $3)`,
    [host.id, JSON.stringify({ spec: host.spec }), Buffer.from(toBinary(priv.HostSchema, create(priv.HostSchema, host)))],
  );
  return url;
}

async function migrated({ database }: TestFulfillment): Promise<readonly string[]> {
  const rows = await database.query<{ name: string }>({ text: 'select name from migrations order by id' });
  return rows.map(({ name }) => `${name}.sql`);
}

const libraries = [
  'store/0001_changes_archive_secrets.sql',
  'store/0002_unknown_fields.sql',
  'objects/0001_audit.sql',
  'objects/0002_reveals.sql',
];

async function queryOn(url: string, text: string, values: readonly unknown[] = []): Promise<readonly object[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<object>(text, [...values])).rows;
  } finally {
    await client.end();
  }
}

/** Everything that makes the tables what they are. */
async function schemaOf(url: string, tables: readonly string[] | null = null): Promise<readonly object[]> {
  const isWanted = (table: string): string => `($1::text[] is null or ${table} = any($1))`;
  return await queryOn(
    url,
    `select format('%s.%s', table_name, column_name) as what, format('%s %s null %s, default %s, computed %s %s, identity %s, collation %s', ordinal_position, data_type,
        is_nullable, column_default, is_generated, generation_expression, is_identity, collation_name) as form
      from information_schema.columns where table_schema = 'public' and ${isWanted('table_name')}
    union all select indexname, indexdef from pg_indexes where schemaname = 'public' and ${isWanted('tablename')}
    union all select conname, pg_get_constraintdef(oid) from pg_constraint where connamespace = 'public'::regnamespace and ${isWanted('conrelid::regclass::text')}
    union all select tgname, pg_get_triggerdef(oid) from pg_trigger where not tgisinternal and ${isWanted('tgrelid::regclass::text')}
    order by 1, 2`,
    [tables],
  );
}

describe('an upgrade', () => {
  it.each(earlier)('from a database that ends with $name brings it forward, with the hosts in it as they were', async ({ count }) => {
    const service = await startTestFulfillment({ databaseUrl: await databaseOf(count) });
    onTestFinished(() => service.stop());
    expect(await migrated(service)).toEqual([...names, ...libraries]);
    const hosts = service.admin.client(priv.Hosts);
    const watch = await watching((signal) => service.admin.client(priv.Events).watch({ bookmarks: true }, { signal }));
    const { items } = await hosts.list({ filter: 'this.spec.rack == "r1"' });
    expect(items).toMatchObject([{ id: 'by-hand', metadata: { name: 'by-hand', creators: ['ann'], version: 0n }, spec: { title: 'T' } }]);
    await hosts.update({ object: { id: 'by-hand', spec: { bmc: { password: 'p' } } }, updateMask: { paths: ['spec.bmc.password'] } });
    expect((await hosts.get({ id: 'by-hand', reveal: true })).object?.spec).toMatchObject({
      rack: 'r1',
      title: 'T',
      bmc: { password: 'p' },
    });
    expect((await watch.next()).event.payload).toMatchObject({ case: 'host', value: { id: 'by-hand' } });
  });

  it.each(earlier)('from a database that ends with $name makes it what a new one is', async ({ count }) => {
    const [upgraded, fresh] = [await databaseOf(count), await postgres.createDatabase()];
    for (const url of [upgraded, fresh]) await migrateFulfillment(url, { log: silentLog });
    const schema = await schemaOf(fresh);
    expect(schema.length).toBeGreaterThan(100);
    expect(await schemaOf(upgraded)).toEqual(schema);
  });

  it.each([
    { last: '0006_plain_columns.sql', rewritten: ['hosts'] },
    { last: '0008_boot_ip_labels.sql', rewritten: [] },
  ])('from $last rewrites $rewritten, each once: nobody reads a table meanwhile', async ({ last, rewritten }) => {
    const url = await databaseOf(names.indexOf(last) + 1);
    await queryOn(
      url,
      `create table rewritten (what text);
      create function note_rewrite() returns event_trigger language plpgsql as $$ begin
        insert into rewritten values (pg_event_trigger_table_rewrite_oid()::regclass::text); end $$;
      create event trigger note_rewrite on table_rewrite execute function note_rewrite()`,
    );
    await migrateFulfillment(url, { log: silentLog });
    expect(await queryOn(url, 'select what from rewritten')).toEqual(rewritten.map((what) => ({ what })));
  });

  it('keeps objects, their secrets, the archive and the audit log, and lets watches go on', async () => {
    const url = await databaseOf(computedColumns);
    const keys = KeyRing.generate();
    const { token, password } = await fillAsBefore(url, keys);
    const service = await startTestFulfillment({ databaseUrl: url, keys });
    onTestFinished(() => service.stop());
    const hosts = service.admin.client(priv.Hosts);
    const { object } = await hosts.get({ id: 'sealed', reveal: true });
    expect(object).toMatchObject({ metadata: { version: 3n }, spec: { rack: 'r7', class: 'c', bmc: { user: 'u', password } } });
    expect((await hosts.list({ filter: 'this.spec.rack == "r7"' })).items.map(({ id }) => id)).toEqual(['sealed']);
    expect(
      (await service.admin.client(Audit).list({ kind: 'hosts', objectId: 'sealed', filter: 'this.outcome != "revealed"' })).entries,
    ).toMatchObject([
      { actor: 'ann', outcome: 'updated', changes: [{ path: 'spec.rack', before: '"r6"', after: '"r7"' }], requestId: 'r-1' },
    ]);
    expect(await queryOn(url, 'select kind, id, version from archive')).toEqual([{ kind: 'hosts', id: 'gone', version: '5' }]);
    const watch = await watching((signal) => service.admin.client(priv.Events).watch({ token, bookmarks: true }, { signal }));
    expect((await watch.next()).event).toMatchObject({
      type: priv.EventType.OBJECT_UPDATED,
      payload: { case: 'host', value: { id: 'sealed', spec: { rack: 'r7' } } },
    });
    await hosts.update({ object: { id: 'sealed', spec: { rack: 'r8' } }, updateMask: { paths: ['spec.rack'] } });
    expect((await watch.next()).event.payload).toMatchObject({ case: 'host', value: { spec: { rack: 'r8' } } });
    expect(await queryOn(url, `select rack, class from hosts where id = 'sealed'`)).toEqual([{ rack: 'r8', class: 'c' }]);
    expect((await hosts.get({ id: 'sealed', reveal: true })).object?.spec?.bmc?.password).toBe(password);
  });
});

describe('the release before, while replicas are replaced', () => {
  it('writes rows without the columns, which are filled in for it', async () => {
    const url = await databaseOf(computedColumns);
    const keys = KeyRing.generate();
    await migrateFulfillment(url, { log: silentLog });
    await fillAsBefore(url, keys);
    const columns = () => queryOn(url, `select rack, class from hosts where id = 'sealed'`);
    expect(await columns()).toEqual([{ rack: 'r7', class: 'c' }]);
    await queryOn(url, `update hosts set version = 4, data = jsonb_set(data, '{spec,rack}', '"r8"') where id = 'sealed'`);
    expect(await columns()).toEqual([{ rack: 'r8', class: 'c' }]);
  });
});

describe('the tables of libraries', () => {
  it('are the same whether migrations of the service made them or their own', async () => {
    const [adopted, own] = [await databaseOf(computedColumns), await postgres.createDatabase()];
    await migrate({ url: own }, { directory: storeMigrations.directory, libraries: [objectsMigrations], log: silentLog });
    const tables = ['changes', 'archive', 'secrets', 'audit'];
    const schema = await schemaOf(own, tables);
    expect(schema.length).toBeGreaterThan(40);
    expect(await schemaOf(adopted, tables)).toEqual(schema);
  });
});

/** The last release whose database computed columns, and which had all tables from migrations of its own. */
const computedColumns = names.indexOf('0006_plain_columns.sql');

/** What that release wrote: a host with a secret that was updated, one that is gone, and an entry of the audit log. */
async function fillAsBefore(url: string, keys: string): Promise<{ readonly token: string; readonly password: string }> {
  const password = 'hunter2';
  const { keyId, bytes } = KeyRing.parse(keys).seal(new TextEncoder().encode(password), 'hosts/sealed/spec.bmc.password');
  const host = {
    id: 'sealed',
    metadata: { tenants: ['shared'], creationTimestamp: { seconds: 1_790_000_000n }, version: 3n },
    spec: { rack: 'r7', class: 'c', bmc: { user: 'u', password: redacted } },
    status: {},
  };
  const body = Buffer.from(toBinary(priv.HostSchema, create(priv.HostSchema, host)));
  const token = await tokenOf(url);
  await queryOn(
    url,
    `insert into hosts (id, version, created_at, tenants, data, body) values ('sealed', 3, to_timestamp(1790000000), '{shared}', $1, $2)`,
    [JSON.stringify({ spec: host.spec, status: {} }), body],
  );
  await queryOn(
    url,
    `insert into secrets (kind, object_id, path, key_id, sealed) values ('hosts', 'sealed', 'spec.bmc.password', $1, $2)`,
    [keyId, Buffer.from(bytes)],
  );
  await queryOn(
    url,
    `insert into changes (kind, type, object_id, version, tenants_before, tenants_after, body) values ('hosts', 'updated', 'sealed', 3, '{shared}', '{shared}', $1)`,
    [Buffer.from([0, ...body])],
  );
  await queryOn(
    url,
    `insert into archive (kind, id, name, version, created_at, deleted_at, tenants, body) values ('hosts', 'gone', '', 5, now(), now(), '{shared}', '')`,
  );
  await queryOn(
    url,
    `insert into audit (id, actor, role, peer, method, kind, object_id, object_name, changes, outcome, request_id)
      values ($1, 'ann', 'provider', 'p', '/private.v1.Hosts/Update', 'hosts', 'sealed', '', '[{"path": "spec.rack", "before": "\\"r6\\"", "after": "\\"r7\\""}]', 'updated', 'r-1')`,
    [createUuidV7({ clock: systemClock, random: systemRandom })()],
  );
  return { token, password };
}

/** Where a watch of that release stood. */
async function tokenOf(url: string): Promise<string> {
  const database = openDatabase({ url, log: silentLog });
  const feed = new ChangeFeed({ database, clock: systemClock, random: systemRandom, log: silentLog });
  feed.start();
  try {
    for await (const item of feed.read(undefined, new AbortController().signal)) if ('bookmark' in item) return item.bookmark;
    throw new Error('the feed says nothing');
  } finally {
    await feed.stop();
    await database.close();
  }
}
