import { cp, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { create, toBinary } from '@bufbuild/protobuf';
import * as priv from '@quartermaster/api/private';
import { startFulfillment, type TestFulfillment } from '@quartermaster/fulfillment/testing';
import { silentLog } from '@quartermaster/kernel';
import { migrate } from '@quartermaster/store';
import { startTestPostgres, type TestPostgres } from '@quartermaster/store/embedded';
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
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(
      `insert into hosts (id, name, created_at, tenants, creators, data, body) values ($1, $1, to_timestamp(1790000000), '{shared}', '{ann}', $2, $3)`,
      [host.id, JSON.stringify({ spec: host.spec }), Buffer.from(toBinary(priv.HostSchema, create(priv.HostSchema, host)))],
    );
  } finally {
    await client.end();
  }
  return url;
}

async function migrated({ database }: TestFulfillment): Promise<readonly string[]> {
  const rows = await database.query<{ name: string }>({ text: 'select name from migrations order by id' });
  return rows.map(({ name }) => `${name}.sql`);
}

describe('an upgrade', () => {
  it.each(earlier)('from a database that ends with $name brings it forward, with the hosts in it as they were', async ({ count }) => {
    const service = await startFulfillment({ databaseUrl: await databaseOf(count) });
    onTestFinished(() => service.stop());
    expect(await migrated(service)).toEqual(names);
    const hosts = service.admin.client(priv.Hosts);
    const watch = await watching((signal) => service.admin.client(priv.Events).watch({ bookmarks: true }, { signal }));
    const { items } = await hosts.list({ filter: 'this.spec.rack == "r1"' });
    expect(items).toMatchObject([{ id: 'by-hand', metadata: { name: 'by-hand', creators: ['ann'], version: 0n }, spec: { title: 'T' } }]);
    await hosts.update({ object: { id: 'by-hand', spec: { bmc: { password: 'p' } } }, updateMask: { paths: ['spec.bmc.password'] } });
    expect((await hosts.get({ id: 'by-hand' })).object?.spec).toMatchObject({ rack: 'r1', title: 'T', bmc: { password: 'p' } });
    expect((await watch.next()).event.payload).toMatchObject({ case: 'host', value: { id: 'by-hand' } });
  });
});
