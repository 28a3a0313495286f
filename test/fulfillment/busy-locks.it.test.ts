/** What waits for a lock, and what does not wait with it. */
import * as pub from '@quartermaster/api/fulfillment';
import { ApplyOutcome, HostSources } from '@quartermaster/api/fulfillment-extras';
import * as priv from '@quartermaster/api/private';
import { startTestFulfillment, type TestFulfillment } from '@quartermaster/fulfillment/testing';
import { type Clock, StatusError, systemClock } from '@quartermaster/kernel';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { watching } from './watching.ts';

const poolSize = 4;
const patiently = { timeout: 30_000, interval: 20 };

/** What waits for its turn gives up after 10 s, which a busy machine may need for what is tried meanwhile. */
const clock: Clock = {
  ...systemClock,
  schedule: (afterMs, callback) => systemClock.schedule(afterMs < 10_000 ? afterMs : 6 * afterMs, callback),
};

let service: TestFulfillment;
let other: pg.Client;

beforeAll(async () => {
  service = await startTestFulfillment({ poolSize, clock });
  other = new pg.Client({ connectionString: service.databaseUrl });
  await other.connect();
});

afterAll(async () => {
  await other.end();
  await service.stop();
});

const keyOf = (text: string): string =>
  `('x' || encode(substring(sha256(convert_to(${text}, 'UTF8')) from 1 for 8), 'hex'))::bit(64)::bigint`;

/** The locks of another process, until the returned function gives them back. */
async function held(locks: readonly string[]): Promise<() => Promise<void>> {
  await other.query(`select pg_advisory_lock(${keyOf('text')}) from unnest($1::text[]) as text`, [locks]);
  const giveBack = async (): Promise<void> => void (await other.query('select pg_advisory_unlock_all()'));
  onTestFinished(giveBack);
  return giveBack;
}

/** How many sessions of the database wait for a lock. */
async function waiting(): Promise<number> {
  const { rows } = await other.query<{ n: number }>(
    `select count(*)::int as n from pg_locks where locktype = 'advisory' and not granted and database = (select oid from pg_database where datname = current_database())`,
  );
  return rows[0]?.n ?? 0;
}

const hosts = () => service.admin.client(priv.Hosts);

/** More reads at once than there are connections. */
async function readAll(): Promise<void> {
  const reads = Array.from({ length: 4 * poolSize }, async (_, index) => {
    if (index % 2 === 0) await hosts().get({ id: 'h0' });
    else await hosts().list({ filter: `this.spec.rack == "r${index}"`, limit: 5 });
  });
  await Promise.all(reads);
}

describe('what waits for a lock', () => {
  beforeAll(async () => {
    await Promise.all(Array.from({ length: 20 }, (_, index) => hosts().create({ object: { id: `h${index}` } })));
  });

  it('of ten sources that bring in hosts at once, leaves connections to reads', async () => {
    const sources = Array.from({ length: 10 }, (_, index) => `s${index}`);
    const giveBack = await held(sources.map((source) => `host_marks/serial SN-${source}-7`));
    const batches = sources.map((source) => {
      const facts = Array.from({ length: 20 }, (_, at) => ({ sourceId: `${at}`, serial: `SN-${source}-${at}` }));
      return service.as({ name: source, role: 'sync', source }).client(HostSources).applyHosts({ source, hosts: facts });
    });
    await vi.waitFor(async () => expect(await waiting()).toBe(poolSize - 1), patiently);
    await readAll();
    // The others wait without a connection.
    expect(await waiting()).toBe(poolSize - 1);
    await giveBack();
    for (const { hosts: applied } of await Promise.all(batches)) {
      expect(applied.map(({ outcome }) => outcome)).toEqual(Array.from({ length: 20 }, () => ApplyOutcome.CREATED));
    }
    expect((await hosts().list({ filter: 'this.spec.serial.startsWith("SN-")', limit: 0 })).total).toBe(200);
  });

  it('of many objects that another process holds, leaves connections to reads', async () => {
    const ids = Array.from({ length: 20 }, (_, index) => `h${index}`);
    const giveBack = await held(ids.map((id) => `hosts/${id}`));
    const updates = ids.map((id) => hosts().update({ object: { id, spec: { title: 'new' } }, updateMask: { paths: ['spec.title'] } }));
    await vi.waitFor(async () => expect(await waiting()).toBeGreaterThan(1), patiently);
    await readAll();
    expect(await waiting()).toBeLessThan(poolSize);
    await giveBack();
    for (const { object } of await Promise.all(updates)) expect(object?.spec?.title).toBe('new');
  });

  it('of one object stands in line behind it, and each gets its turn', async () => {
    const giveBack = await held(['hosts/h1']);
    const titles = Array.from({ length: 10 }, (_, index) => `title ${index}`);
    const updates = titles.map((title) => hosts().update({ object: { id: 'h1', spec: { title } }, updateMask: { paths: ['spec.title'] } }));
    await vi.waitFor(async () => expect(await waiting()).toBe(1), patiently);
    await readAll();
    await giveBack();
    const versions = (await Promise.all(updates)).map(({ object }) => object?.metadata?.version ?? 0n);
    expect(new Set(versions).size).toBe(10);
  });
});

describe('a cluster of 10 000 hosts that gets other tenants', () => {
  const count = 10_000;
  const clusters = () => service.admin.client(priv.Clusters);
  const give = (tenant: string) =>
    clusters().update({ object: { id: 'big', metadata: { tenants: [tenant] } }, updateMask: { paths: ['metadata.tenants'] } });

  beforeAll(async () => {
    await service.admin.client(priv.HostClasses).create({ object: { id: 'c' } });
    await service.admin.client(priv.ClusterTemplates).create({ object: { id: 't', nodeSets: { w: { hostClass: 'c', size: 1 } } } });
    for (const id of ['big', 'rest']) await clusters().create({ object: { id, metadata: { tenants: ['from'] }, spec: { template: 't' } } });
    // As messages with an id; the columns follow from the document.
    await other.query(
      `insert into hosts (id, created_at, data, body)
        select id, now(), jsonb_build_object('status', jsonb_build_object('cluster', case when i > $1 then 'rest' else 'big' end)), '\\x0a05'::bytea || convert_to(id, 'UTF8')
        from (select i, to_char(i, 'FM00000') as id from generate_series(1, $1 + 3) as i) as each`,
      [count],
    );
  });

  it('is announced with a few locks: all of its hosts leave one tenant and come to the other', async () => {
    const total = async (tenant: string) => (await service.tenant(tenant).client(pub.Hosts).list({ limit: 2 })).total;
    expect(await total('from')).toBe(count + 3);
    await other.query(`
      create table locks_taken (n bigint);
      create function count_locks() returns trigger language plpgsql as $$ begin
        insert into locks_taken select count(*) from pg_locks where pid = pg_backend_pid() and locktype = 'advisory'; return null; end $$;
      create trigger count_locks after insert on changes for each statement execute function count_locks()`);
    const follow = (tenant: string) =>
      watching((signal) => service.tenant(tenant).client(pub.Events).watch({ bookmarks: true, filter: 'has(event.host)' }, { signal }));
    const [from, to] = [await follow('from'), await follow('to')];
    // PostgreSQL may analyze so many new rows by itself at this moment.
    await giveAtLast('to', () => false);
    for (const [watch, type] of [
      [from, pub.EventType.OBJECT_DELETED],
      [to, pub.EventType.OBJECT_CREATED],
    ] as const) {
      const told = new Set<string>();
      while (told.size < count) {
        const { event } = await watch.next();
        expect(event.type).toBe(type);
        told.add(event.payload.value?.id ?? '');
      }
      expect(told.has('00001') && told.has('10000')).toBe(true);
    }
    expect([await total('from'), await total('to')]).toEqual([3, count]);
    const { rows } = await other.query<{ n: string }>('select max(n) as n from locks_taken');
    expect(Number(rows[0]?.n)).toBeLessThan(20);
  });

  const isHeldOff = async (): Promise<boolean> => {
    const { rowCount } = await other.query(`select from pg_locks where relation = 'hosts'::regclass and not granted`);
    return rowCount === 1;
  };

  /** Again when it was refused because the table is busy, until that is enough: a busy machine may not have looked while it waited. */
  const giveAtLast = async (tenant: string, isEnough: () => boolean): Promise<void> => {
    for (;;) {
      try {
        await give(tenant);
        return;
      } catch (thrown) {
        if (!(thrown instanceof StatusError) || thrown.code !== 'unavailable' || isEnough()) throw thrown;
      }
    }
  };

  it('is announced after a replica of the release before has written one of them, which holds that host alone', async () => {
    const previous = new pg.Client({ connectionString: service.databaseUrl });
    await previous.connect();
    onTestFinished(() => previous.end());
    await previous.query('begin');
    await previous.query(`select pg_advisory_xact_lock(${keyOf("'hosts/00001'")})`);
    await previous.query(`with written as (update hosts set version = version + 1 where id = '00001' returning *)
      insert into changes (kind, type, object_id, version, tenants_before, tenants_after, body)
        select 'hosts', 'updated', id, version, '{to}', '{to}', '\\x00'::bytea || body from written`);
    const update = giveAtLast('last', () => false);
    await vi.waitFor(async () => expect(await isHeldOff()).toBe(true), patiently);
    await previous.query('commit');
    await update;
    const { rows } = await other.query(
      `select version, tenants_after from changes where kind = 'hosts' and object_id = '00001' order by xid desc, seq desc limit 2`,
    );
    expect(rows).toEqual([
      { version: '1', tenants_after: ['last'] },
      { version: '1', tenants_after: ['to'] },
    ]);
  });

  it('is not announced, and keeps nobody from writing hosts for long, while somebody works on the whole table', async () => {
    await hosts().create({ object: { id: 'apart' } });
    await other.query('begin; lock table hosts in share update exclusive mode'); // as VACUUM does
    onTestFinished(async () => void (await other.query('rollback')));
    let isSeen = false;
    const refused = giveAtLast('x', () => isSeen).catch((thrown: unknown) => thrown);
    await vi.waitFor(async () => expect(await isHeldOff()).toBe(true), patiently);
    isSeen = true;
    const written = await hosts().update({ object: { id: 'apart', spec: { title: 'new' } }, updateMask: { paths: ['spec.title'] } });
    expect(written.object?.spec?.title).toBe('new');
    expect(await refused).toMatchObject({ code: 'unavailable', message: expect.stringContaining('busy') });
    expect((await clusters().get({ id: 'big' })).object?.metadata?.tenants).toEqual(['last']);
  });
});
