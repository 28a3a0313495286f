import { readFile } from 'node:fs/promises';
import { create, toBinary } from '@bufbuild/protobuf';
import { timestampFromMs } from '@bufbuild/protobuf/wkt';
import { ConditionStatus } from '@quartermaster/api/fulfillment';
import { HostConditionType, HostSchema, MetadataSchema } from '@quartermaster/api/private';
import type { Kind } from '@quartermaster/objects';
import { type Database, lockOf, type StoredObject, WriteBatch } from '@quartermaster/store';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { arbitraryMessage } from '../../test/arbitrary-message.ts';
import { startTestDatabases, type TestDatabases } from '../../test/test-database.ts';
import { openTestStore, type TestStore, testHost } from '../../test/test-store.ts';

const first = new URL('../../migrations/0001_objects.sql', import.meta.url);
/** Texts that a column and the document could hold differently. */
const texts = fc.constantFrom('', 'x', 'y', 'Z', 'ä', '𝕏', '"', '\\', '{a,b}', 'null', ' ', "'; --");

let databases: TestDatabases;
let store: TestStore;
let database: Database;

beforeAll(async () => {
  databases = await startTestDatabases();
  store = await openTestStore(databases);
  ({ database } = store);
  // Tables of the first release beside those of this one: theirs compute the columns from the document.
  await database.query({
    text: `begin; create schema earlier; set local search_path to earlier; ${await readFile(first, 'utf8')}; commit`,
  });
  // Arbitrary clusters are not careful.
  for (const index of ['clusters_alias_is_unique', 'clusters_port_is_unique'])
    await database.query({ text: `drop index public.${index}, earlier.${index}` });
});

afterAll(() => databases.stop());

const common = 'id, name, version, created_at, deleted_at, finalizers, creators, tenants, labels, annotations, data, body';

/** The rows that the tables of the first release would have made otherwise, by the columns that it has. */
async function differences(table: string): Promise<readonly object[]> {
  const [{ columns } = { columns: '' }] = await database.query<{ columns: string }>(
    {
      text: `select string_agg(column_name, ', ') as columns from information_schema.columns
        where table_schema = 'earlier' and table_name = $1 and column_name <> 'is_disputed'`,
    },
    [table],
  );
  await database.query({ text: `truncate earlier.${table}` });
  await database.query({ text: `insert into earlier.${table} (${common}) select ${common} from public.${table}` });
  return await database.query({ text: `select ${columns} from public.${table} except all select ${columns} from earlier.${table}` });
}

async function write<T>(ids: readonly string[], work: (batch: WriteBatch) => T, to: Database = database): Promise<T> {
  return await to.transaction(ids, async (tx) => {
    const batch = new WriteBatch();
    const result = work(batch);
    await batch.flush(tx);
    return result;
  });
}

/** Writes the objects of this release once more as the release before does, first by insert and later by update, and returns those with another value in any column. */
async function differencesToReleaseBefore({ name: table, columns }: Pick<Kind<never>, 'name' | 'columns'>): Promise<readonly object[]> {
  const mine = `(select * from ${table} where id not like 'before-%') as mine`;
  await database.query({
    text: `insert into ${table} (${common}) select 'before-' || ${common} from ${mine}
      on conflict (id) do update set version = excluded.version, data = excluded.data, body = excluded.body`,
  });
  const valuesOf = (row: string) =>
    `row(${Object.keys(columns)
      .map((column) => `${row}.${column}`)
      .join(', ')})`;
  return await database.query({
    text: `select mine.id, ${valuesOf('mine')}::text as mine, ${valuesOf('theirs')}::text as theirs
      from ${mine} left join ${table} as theirs on theirs.id = 'before-' || mine.id where ${valuesOf('mine')} is distinct from ${valuesOf('theirs')}`,
  });
}

const sampleOf = <M extends StoredObject>(kind: Kind<M>, count: number): M[] =>
  fc.sample(arbitraryMessage(kind.schema, { texts }), count).map((object, index) =>
    Object.assign(object, {
      id: `${index}`,
      metadata: create(MetadataSchema, { creationTimestamp: timestampFromMs(1_700_000_000_000) }),
    }),
  );

const locksOf = ({ name }: { readonly name: string }, objects: readonly StoredObject[]) => objects.map(({ id }) => lockOf(name, id));

/** Rows that differ after objects were created and after they were updated. */
async function compare<M extends StoredObject>(kind: Kind<M>): Promise<readonly object[]> {
  const [created, updated] = [sampleOf(kind, 300), sampleOf(kind, 300)];
  await write([], (batch) => {
    for (const object of created) kind.store.create(batch, object);
  });
  const found = async () => [...(await differences(kind.name)), ...(await differencesToReleaseBefore(kind))];
  const afterCreate = await found();
  await write(locksOf(kind, created), (batch) => {
    for (const [index, after] of updated.entries()) kind.store.update(batch, created[index] ?? after, after);
  });
  return [...afterCreate, ...(await found())];
}

describe('the columns that the service writes', () => {
  it('of hosts are what the database computed from the document, and what it computes for the release before', async () => {
    expect(Object.keys(store.kinds.hosts.columns)).toHaveLength(16);
    expect(await compare(store.kinds.hosts)).toEqual([]);
    const set = [
      "class <> ''",
      'state <> 0',
      "macs <> '{}'",
      'rack_unit <> 0',
      'rack_height <> 0',
      "boot_ip <> ''",
      "lacks = 'NO_BOOT_MAC'",
      "lacks = ''",
    ];
    const filled = await database.query<{ n: bigint }>({
      text: `select least(${set.map((each) => `count(*) filter (where ${each})`).join(', ')}) as n from hosts where id not like 'before-%'`,
    });
    expect(filled[0]?.n).toBeGreaterThan(5n);
  });

  it('of hosts tell a dispute, and so does the database for the release before', async () => {
    const type = HostConditionType.DISPUTED;
    const conditions = [
      [{ type, status: ConditionStatus.TRUE, reason: 'SourceConflict' }],
      [{ type, status: ConditionStatus.FALSE, reason: 'SourceConflict' }],
      [{ type: HostConditionType.DEGRADED, status: ConditionStatus.TRUE, reason: 'SourceConflict' }],
    ];
    await store.put({ hosts: conditions.map((each, index) => testHost(`disputed-${index}`, { status: { conditions: each } })) });
    const disputed = () => database.query({ text: `select is_disputed from hosts where id like 'disputed-%' order by id` });
    const expected = [true, false, false].map((is_disputed) => ({ is_disputed }));
    expect(await disputed()).toEqual(expected);
    await database.query({
      text: `update hosts set version = version + 1, data = jsonb_set(data, '{spec}', '{"title": "t"}') where id like 'disputed-%'`,
    });
    expect(await disputed()).toEqual(expected);
  });

  it('of clusters, templates and pools are what the database computed from the document, and computes for the release before', async () => {
    expect(await compare(store.kinds.clusters)).toEqual([]);
    expect(await compare(store.kinds.cluster_templates)).toEqual([]);
    expect(await compare(store.kinds.host_pools)).toEqual([]);
  });
});

describe('what computes columns for the release before', () => {
  it('is left alone by writes of this one, although they change no column', async () => {
    const { database: own, kinds } = await openTestStore(databases);
    await own.query({
      text: `create or replace function columns_from_data() returns trigger language plpgsql as $$ begin
        raise 'computes columns of %', tg_table_name using errcode = '42000'; end $$`,
    });
    const writeTwice = async <M extends StoredObject>(kind: Kind<M>): Promise<M[]> => {
      const created = await write([], (batch) => sampleOf(kind, 10).map((object) => kind.store.create(batch, object)), own);
      return await write(locksOf(kind, created), (batch) => created.map((object) => kind.store.update(batch, object, object)), own);
    };
    const { hosts, cluster_templates, host_pools, clusters } = kinds;
    for (const index of ['clusters_alias_is_unique', 'clusters_port_is_unique']) await own.query({ text: `drop index ${index}` });
    for (const objects of [
      await writeTwice(hosts),
      await writeTwice(clusters),
      await writeTwice(cluster_templates),
      await writeTwice(host_pools),
    ])
      expect(objects.map(({ metadata }) => metadata?.version)).toEqual(objects.map(() => 1n));
    for (const { name } of [hosts, clusters, cluster_templates, host_pools])
      await expect(own.query({ text: `update ${name} set version = version + 1` })).rejects.toThrow(`computes columns of ${name}`);
  });
});

describe('the release before, beside this one', () => {
  it('writes documents alone, and the columns follow them', async () => {
    const { id, ...host } = testHost('by-release-before');
    const columns = async () =>
      (await database.query({ text: 'select class, rack, macs, boot_ip, state, is_disputed from hosts where id = $1' }, [id]))[0];
    await database.query(
      {
        text: `insert into hosts (id, created_at, data, body) values ($1, now(), '{"spec": {"class": "c", "boot_ip": "10.0.0.1", "nics": [{"mac": "m"}]}}', $2)`,
      },
      [id, toBinary(HostSchema, create(HostSchema, { id, ...host }))],
    );
    expect(await columns()).toEqual({ class: 'c', rack: '', macs: ['m'], boot_ip: '10.0.0.1', state: 0n, is_disputed: false });
    await database.query(
      { text: `update hosts set version = version + 1, data = '{"spec": {"rack": "r"}, "status": {"state": 2}}' where id = $1` },
      [id],
    );
    expect(await columns()).toEqual({ class: '', rack: 'r', macs: [], boot_ip: '', state: 2n, is_disputed: false });
    expect(await differences('hosts')).toEqual([]);
  });

  it('knows of no dispute, and cannot end one', async () => {
    const { store: hosts } = store.kinds.hosts;
    const conditions = [{ type: HostConditionType.DISPUTED, status: ConditionStatus.TRUE, reason: 'SameMachine' }];
    const before = testHost('same-machine', { spec: { class: 'c', nics: [{ mac: 'm' }] }, status: { conditions } });
    await store.put({ hosts: [before] });
    const columns = async () =>
      await database.query({ text: `select data #>> '{spec,title}' as title, class, macs, is_disputed from hosts where id = $1` }, [
        before.id,
      ]);
    // It writes the column with everything else, from a condition of the type DEGRADED.
    await database.query(
      {
        text: `update hosts set version = 1, data = jsonb_set(data, '{spec,title}', '"t"'), is_disputed = false, class = 'c' where id = $1`,
      },
      [before.id],
    );
    expect(await columns()).toEqual([{ title: 't', class: 'c', macs: ['m'], is_disputed: true }]);
    const read = create(HostSchema, { ...before, metadata: create(MetadataSchema, { version: 1n }) });
    await write([`hosts/${before.id}`], (batch) => hosts.update(batch, read, testHost(before.id, { spec: { class: 'd' } })));
    expect(await columns()).toEqual([{ title: null, class: 'd', macs: [], is_disputed: false }]);
  });

  it('has a dispute told in its own form, which lasts until that is gone', async () => {
    const conditions = [{ type: HostConditionType.DEGRADED, status: ConditionStatus.TRUE, reason: 'SourceConflict' }];
    const host = testHost('former', { spec: { class: 'c' }, status: { conditions } });
    await store.put({ hosts: [host] });
    const after = async (change: string) => {
      const [row] = await database.query<{ is_disputed: boolean }>({
        text: `update hosts set version = version + 1, ${change} where id = 'former' returning is_disputed`,
      });
      return row?.is_disputed;
    };
    expect(await after('is_disputed = true')).toBe(true);
    const titled = (title: string) => `data = jsonb_set(data, '{spec,title}', '"${title}"')`;
    expect(await after(`${titled('by the release before')}, is_disputed = true`)).toBe(true);
    expect(await after(`${titled('by this release')}, is_disputed = false, columns_version = version + 1`)).toBe(true);
    expect(await after(`data = data #- '{status,conditions}', is_disputed = false`)).toBe(false);
  });
});
