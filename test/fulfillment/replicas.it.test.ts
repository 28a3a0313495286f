import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { HostAssignments } from '@quartermaster/api/fulfillment-extras';
import * as priv from '@quartermaster/api/private';
import { provisionable, startTestFulfillment } from '@quartermaster/fulfillment/testing';
import { silentLog } from '@quartermaster/kernel';
import { KeyRing, migrate } from '@quartermaster/store';
import { startTestPostgres, type TestPostgres } from '@quartermaster/store/testing';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type ApiProcess, type ApiProcessOptions, startApiProcess } from './start-api-process.ts';
import { watching } from './watching.ts';

let directory: string;
let postgres: TestPostgres;
let options: ApiProcessOptions;
let processes: readonly ApiProcess[];
let sql: pg.Client;

/** Two processes of the service that start on an empty database at the same moment. */
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'quartermaster-replicas-'));
  postgres = await startTestPostgres();
  const keys = KeyRing.generate();
  // On a database that nobody else uses: it is here for the key of tokens.
  const other = await startTestFulfillment({ databaseUrl: await postgres.createDatabase(), keys, directory });
  const token = await other.token({ name: 'root', role: 'admin' });
  await other.stop();
  options = { databaseUrl: await postgres.createDatabase(), keys, directory, token };
  processes = await Promise.all([startApiProcess(options), startApiProcess(options)]);
  sql = new pg.Client({ connectionString: options.databaseUrl });
  await sql.connect();
});

afterAll(async () => {
  await Promise.all(processes.map((each) => each.close()));
  await sql.end();
  await postgres.stop();
  await rm(directory, { recursive: true, force: true });
});

/** One of the two, in turns. */
const replica = (turn: number): ApiProcess => {
  const found = processes[turn % processes.length];
  if (found === undefined) throw new Error('there is no process');
  return found;
};
const hosts = (turn: number) => replica(turn).channel.client(priv.Hosts);
const inTurns = <T>(count: number, act: (turn: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, turn) => act(turn)));

describe('two processes on one database', () => {
  it('migrated it once, although both began', async () => {
    const { rows } = await sql.query<{ name: string }>('select name from migrations order by id');
    expect(rows.length).toBeGreaterThan(2);
    expect(new Set(rows.map(({ name }) => name)).size).toBe(rows.length);
  });

  it('lose none of the masked updates that come to both at once', async () => {
    await hosts(0).create({ object: { id: 'busy' } });
    await inTurns(80, (turn) =>
      hosts(turn).update({
        object: { id: 'busy', metadata: { labels: { [`k${turn}`]: 'v' } }, spec: { title: `${turn}` } },
        updateMask: { paths: [`metadata.labels.k${turn}`, 'spec.title'] },
      }),
    );
    const { object } = await hosts(1).get({ id: 'busy' });
    expect(Object.keys(object?.metadata?.labels ?? {})).toHaveLength(80);
    expect(object?.metadata?.version).toBe(80n);
  });

  it('let one of two callers have a version', async () => {
    await hosts(0).create({ object: { id: 'locked' } });
    const update = (turn: number) =>
      hosts(turn).update({ object: { id: 'locked', spec: { title: `${turn}` } }, updateMask: { paths: ['spec.title'] }, lock: true });
    const outcomes = await Promise.allSettled([0, 1, 2, 3].map(update));
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const each of outcomes) if (each.status === 'rejected') expect(each.reason).toMatchObject({ code: 'aborted' });
  });

  it('record once that secrets were opened, although both give them out at the same time', async () => {
    const ids = ['opened-1', 'opened-2'];
    for (const id of ids) await hosts(0).create({ object: { id, spec: { bmc: { user: 'u', password: `p-${id}` } } } });
    const opened = await inTurns(40, async (turn) => {
      const id = ids[Math.floor(turn / 2) % 2] ?? '';
      return (await hosts(turn).get({ id, reveal: true })).object?.spec?.bmc?.password === `p-${id}`;
    });
    expect(opened.every(Boolean)).toBe(true);
    const { rows } = await sql.query<{ object_id: string }>(`select object_id from audit where outcome = 'revealed' order by object_id`);
    expect(rows.map(({ object_id: id }) => id)).toEqual(ids);
  });

  it('create one object of an id', async () => {
    const outcomes = await Promise.allSettled(Array.from({ length: 10 }, (_, turn) => hosts(turn).create({ object: { id: 'only' } })));
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const each of outcomes) if (each.status === 'rejected') expect(each.reason).toMatchObject({ code: 'already_exists' });
  });

  it('give a host to one cluster, whoever claims it where', async () => {
    await replica(0)
      .channel.client(priv.HostClasses)
      .create({ object: { id: 'c' } });
    await replica(0)
      .channel.client(priv.ClusterTemplates)
      .create({ object: { id: 't', nodeSets: { w: { hostClass: 'c', size: 3 } } } });
    await inTurns(20, (turn) =>
      hosts(turn).create({ object: { id: `free-${turn}`, spec: { class: 'c', rack: `r${turn % 4}`, ...provisionable(turn) } } }),
    );
    const clusters = await inTurns(10, async (turn) => {
      const { object } = await replica(turn)
        .channel.client(priv.Clusters)
        .create({ object: { spec: { template: 't' } } });
      return object?.id ?? '';
    });
    const claims = await Promise.all(
      clusters.map((cluster, turn) => replica(turn).channel.client(HostAssignments).claimHosts({ cluster, nodeSet: 'w', count: 3 })),
    );
    const claimed = claims.flatMap((claim) => claim.claimed);
    expect(claimed).toHaveLength(20);
    expect(new Set(claimed).size).toBe(20);
    expect(claims.reduce((sum, { missing }) => sum + missing, 0)).toBe(10);
    for (const [turn, cluster] of clusters.entries()) {
      const { object } = await replica(turn).channel.client(priv.Clusters).get({ id: cluster });
      const { items } = await hosts(turn).list({ filter: `this.status.cluster == "${cluster}"` });
      expect(items.map(({ id }) => id).toSorted()).toEqual((object?.status?.nodeSets['w']?.hosts ?? []).toSorted());
    }
    await Promise.all(clusters.map((cluster, turn) => replica(turn).channel.client(HostAssignments).releaseHosts({ cluster })));
    expect((await hosts(0).list({ filter: 'this.status.cluster != ""' })).total).toBe(0);
  });

  it('tell the same, in the same order of each object, whoever wrote it where', async () => {
    const filter = 'has(event.host) && event.host.id.startsWith("told-")';
    const watches = await Promise.all(
      [0, 1].map((turn) => watching((signal) => replica(turn).channel.client(priv.Events).watch({ bookmarks: true, filter }, { signal }))),
    );
    await inTurns(30, async (turn) => {
      const id = `told-${turn}`;
      await hosts(turn).create({ object: { id } });
      await hosts(turn + 1).update({ object: { id, spec: { title: 'x' } }, updateMask: { paths: ['spec.title'] } });
      await hosts(turn).delete({ id });
    });
    const told = await Promise.all(
      watches.map(async (watch) => {
        const seen: string[] = [];
        while (seen.length < 90) {
          const { event, token } = await watch.next();
          seen.push(`${event.payload.value?.id} ${event.type} ${event.payload.value?.metadata?.version} ${token}`);
        }
        return seen;
      }),
    );
    expect(told[0]).toEqual(told[1]);
    for (let turn = 0; turn < 30; turn += 1) {
      const types = (told[0] ?? []).filter((line) => line.startsWith(`told-${turn} `)).map((line) => Number(line.split(' ')[1]));
      const { EventType } = priv;
      expect(types).toEqual([EventType.OBJECT_CREATED, EventType.OBJECT_UPDATED, EventType.OBJECT_DELETED]);
    }
  });
});

describe('a newer release beside this one', () => {
  /** What a later release may do to a database that this one uses: add. */
  const addition = `
    alter table hosts add column later text not null default '';
    alter table hosts add column later_followed text not null default '';
    create function follow_later() returns trigger language plpgsql as $$ begin new.later_followed := coalesce(new.data #>> '{spec,later}', ''); return new; end $$;
    create trigger later_of_release_before before update on hosts for each row
      when (new.data is distinct from old.data and new.later_followed is not distinct from old.later_followed) execute function follow_later();
    alter table hosts add column later_still text collate "C" not null generated always as (coalesce(data #>> '{spec,later}', '')) stored;
    create index hosts_by_later on hosts (later, id);
    alter table changes add column later text;
    alter table audit add column later jsonb not null default '{}';
    create table later_things (id text primary key);`;

  async function migrateFurther(): Promise<readonly string[]> {
    const own = await mkdtemp(join(tmpdir(), 'quartermaster-migrations-'));
    onTestFinished(() => rm(own, { recursive: true, force: true }));
    await cp(fileURLToPath(new URL('../../services/fulfillment/migrations', import.meta.url)), own, { recursive: true });
    await writeFile(join(own, '9000_later.sql'), addition);
    return await migrate({ url: options.databaseUrl }, { directory: own, log: silentLog });
  }

  it('adds to the database while this one goes on writing and reading', async () => {
    await inTurns(10, (turn) =>
      hosts(turn).create({ object: { id: `by-hand-${turn}`, spec: { rack: 'r1', bmc: { user: 'u', password: `p${turn}` } } } }),
    );
    let isDone = false;
    const failures: unknown[] = [];
    const writing = inTurns(4, async (writer) => {
      for (let i = 0; !isDone || i < 20; i += 1) {
        const id = `by-hand-${(writer * 20 + i) % 10}`;
        try {
          await hosts(i).update({ object: { id, spec: { title: `${writer} ${i}` } }, updateMask: { paths: ['spec.title'] } });
          await hosts(i).list({ filter: 'this.spec.rack == "r1"' });
        } catch (thrown) {
          failures.push(thrown);
        }
      }
    });
    expect(await migrateFurther()).toEqual(['9000_later']);
    isDone = true;
    await writing;
    expect(failures).toEqual([]);
  });

  it('leaves what it does not know as it is: hosts made by hand survive the way back, with fields of the newer release in them', async () => {
    // Field 990 of the host and of its spec, as the newer release stored them: protobuf joins the parts of a message.
    await sql.query(
      `update hosts set body = body || '\\xf23d056c61746572'::bytea || '\\x1a08f23d056465657065'::bytea where id = 'by-hand-1'`,
    );
    const stillThere = async (): Promise<boolean[]> => {
      const { rows } = await sql.query<{ body: Buffer }>(`select body from hosts where id = 'by-hand-1'`);
      return ['later', 'deepe'].map((text) => rows[0]?.body.includes(text) ?? false);
    };
    const { databaseUrl, keys } = options;
    const again = await startTestFulfillment({ databaseUrl, keys, directory });
    onTestFinished(() => again.stop());
    const client = again.admin.client(priv.Hosts);
    const { items } = await client.list({ filter: 'this.id.startsWith("by-hand-")' });
    expect(items).toHaveLength(10);
    expect((await client.get({ id: 'by-hand-3', reveal: true })).object?.spec?.bmc?.password).toBe('p3');
    const { object } = await client.update({ object: { id: 'by-hand-1', spec: { title: 'back' } }, updateMask: { paths: ['spec.title'] } });
    expect(object?.spec).toMatchObject({ title: 'back', rack: 'r1' });
    expect(await stillThere()).toEqual([true, true]);
    await client.update({ object: { id: 'by-hand-1', spec: { title: 'and again', rack: 'r2' } } });
    expect(await stillThere()).toEqual([true, true]);
  });

  it('finds what it keeps in columns, documents and messages again, after a claim, updates and a release through this one', async () => {
    const { rows } = await sql.query<{ id: string }>(`select id from hosts where class = 'c' and cluster = '' order by id limit 1`);
    const id = rows[0]?.id ?? '';
    // As the newer release stores field 990 of the spec, in everything that it has for it.
    await sql.query(
      `update hosts set body = body || '\\x1a08f23d056c61746572'::bytea, later = 'later', later_followed = 'later',
        data = jsonb_set(data, '{spec,later}', '"later"') || '{"later_list": [1]}' where id = $1`,
      [id],
    );
    const kept = async () => {
      const text = `select later, later_still, later_followed, data #>> '{spec,later}' as document, data -> 'later_list' as list, position('later' in body) > 0 as message, cluster, rack
        from hosts where id = $1`;
      return (await sql.query<object>(text, [id])).rows[0];
    };
    const all = { later: 'later', later_still: 'later', later_followed: 'later', document: 'later', list: [1], message: true };
    const { object: cluster } = await replica(0)
      .channel.client(priv.Clusters)
      .create({ object: { spec: { template: 't' } } });
    // The same in the cluster, and in an entry of a map of it.
    await sql.query(
      `update clusters set body = body || '\\xf23d056c61746572'::bytea, data = jsonb_set(data, '{spec,node_sets,w,later}', '"deep"') || '{"later": "later"}' where id = $1`,
      [cluster?.id],
    );
    const keptOfCluster = async () => {
      const text = `select data ->> 'later' as document, data #>> '{spec,node_sets,w,later}' as entry, position('later' in body) > 0 as message from clusters where id = $1`;
      return (await sql.query<object>(text, [cluster?.id])).rows[0];
    };
    const assignments = replica(1).channel.client(HostAssignments);
    // All that are free, so that it is among them.
    const { claimed } = await assignments.claimHosts({ cluster: cluster?.id ?? '', nodeSet: 'w', count: 500 });
    expect(claimed).toContain(id);
    expect(await kept()).toMatchObject({ ...all, cluster: cluster?.id });
    await hosts(0).update({ object: { id, spec: { rack: 'r9' } }, updateMask: { paths: ['spec.rack'] } });
    await hosts(1).update({ object: { id, spec: { class: 'c', rack: 'r10' } } });
    expect(await kept()).toMatchObject({ ...all, cluster: cluster?.id, rack: 'r10' });
    await assignments.releaseHosts({ cluster: cluster?.id ?? '' });
    expect(await kept()).toMatchObject({ ...all, cluster: '' });
    expect(await keptOfCluster()).toEqual({ document: 'later', entry: 'deep', message: true });
  });

  it('keeps this one out only where it says that it breaks it', async () => {
    await sql.query(`insert into migrations (name, run_on) values ('9001_breaks', now())`);
    await sql.query(`insert into migrations_breaking (name) values ('9001_breaks')`);
    const { databaseUrl, keys } = options;
    await expect(startTestFulfillment({ databaseUrl, keys, directory })).rejects.toMatchObject({
      code: 'failed_precondition',
      message: expect.stringContaining('9001_breaks'),
    });
  });
});
