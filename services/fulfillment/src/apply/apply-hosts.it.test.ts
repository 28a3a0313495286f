import { create, type MessageInitShape } from '@bufbuild/protobuf';
import {
  ApplyHostsRequestSchema,
  ApplyOutcome,
  type HostClassFactsSchema,
  type HostFactsSchema,
} from '@quartermaster/api/fulfillment-extras';
import type { Host } from '@quartermaster/api/private';
import { codeOf, FakeClock } from '@quartermaster/kernel';
import type { Call } from '@quartermaster/objects';
import { WriteBatch } from '@quartermaster/store';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startTestDatabases, type TestDatabases } from '../../test/test-database.ts';
import { adminCall, openTestStore, type TestStore, testCluster, testHost } from '../../test/test-store.ts';
import { listSources } from '../identity/source-rows.ts';
import { type AppliedBatch, applyHosts } from './apply-hosts.ts';
import type { ApplyOptions } from './apply-options.ts';

type Facts = MessageInitShape<typeof HostFactsSchema>;
type ClassFacts = MessageInitShape<typeof HostClassFactsSchema>;

const canary = 'canary-password-1';
let databases: TestDatabases;
let store: TestStore;
let clock: FakeClock;
let options: ApplyOptions;

beforeAll(async () => {
  databases = await startTestDatabases();
});

afterAll(async () => {
  await databases.stop();
});

beforeEach(async () => {
  store = await openTestStore(databases);
  clock = new FakeClock();
  options = { database: store.database, kinds: store.kinds, clock, newId: store.newId, onWritten: () => {} };
});

interface Batch {
  readonly source?: string | undefined;
  readonly hosts?: Facts[] | undefined;
  readonly classes?: ClassFacts[] | undefined;
}

async function apply({ source = 'bcm', hosts = [], classes = [] }: Batch, call: Call = adminCall()): Promise<AppliedBatch> {
  return await applyHosts(options, call, create(ApplyHostsRequestSchema, { source, hosts, classes }));
}

const names = new Map<number, string>(Object.entries(ApplyOutcome).map(([name, number]) => [number, name]));
const outcomes = ({ hosts }: AppliedBatch): (string | undefined)[] => hosts.map(({ outcome }) => names.get(outcome));

async function host(id: string): Promise<Host | undefined> {
  return await store.kinds.hosts.store.get(store.database, id);
}

const bmcUrl = 'redfish://10.0.0.1/redfish/v1/Systems/1';
const bmc = (password: string) => ({ url: bmcUrl, user: 'root', password });

function facts(index: number) {
  const mac = `b8:3f:d2:00:${String(Math.floor(index / 100)).padStart(2, '0')}:${String(index % 100).padStart(2, '0')}`;
  return {
    sourceId: `device-${index}`,
    id: `host-${index}`,
    name: `host-${index}`,
    rack: `r${index % 40}`,
    class: 'gold',
    serial: `SN${index}`,
    nics: { items: [{ mac, name: 'eth0' }] },
    bmc: bmc(`${canary}-${index}`),
  } satisfies Facts;
}

const gold: ClassFacts = { id: 'gold-id', name: 'gold', title: 'Gold' };

describe('applying the hosts of a source', () => {
  it('creates classes and hosts, and the hosts name the classes of their batch', async () => {
    const done = await apply({ hosts: [facts(1), facts(2)], classes: [gold] });
    expect(outcomes(done)).toEqual(['CREATED', 'CREATED']);
    expect(done.classes).toMatchObject([{ id: 'gold-id', outcome: ApplyOutcome.CREATED }]);
    expect(await host('host-1')).toMatchObject({
      metadata: { name: 'host-1', tenants: ['shared'], creators: ['root'], version: 0n },
      spec: { class: 'gold-id', bmc: { password: '<redacted>' } },
      status: { source: { name: 'bcm', id: 'device-1' } },
    });
    expect(await store.count('audit')).toBe(3);
    expect(await listSources(store.database, undefined)).toMatchObject([{ name: 'bcm', hosts: 2n }]);
  });

  it('writes nothing for 2 000 hosts that are as they were, and one host for one that changed', async () => {
    const all = Array.from({ length: 2000 }, (_, i) => facts(i));
    await apply({ classes: [gold] });
    for (const from of [0, 1000]) await apply({ hosts: all.slice(from, from + 1000) });
    const written = async (): Promise<readonly unknown[]> =>
      await store.database.query({
        text: 'select (select count(*) from changes) as changes, (select count(*) from audit) as audit, (select max(xmin::text::bigint) from hosts) as hosts, (select max(xmin::text::bigint) from secrets) as secrets',
      });
    const before = await written();
    await clock.advance(60_000);
    for (const from of [0, 1000]) {
      const done = await apply({ hosts: all.slice(from, from + 1000) });
      expect(new Set(outcomes(done))).toEqual(new Set(['UNCHANGED']));
    }
    expect(await written()).toEqual(before);
    const [oldest] = await store.database.query<{ age: bigint }>({
      text: `select extract(epoch from max(last_seen) - min(last_seen))::bigint as age, count(*) from host_sources`,
    });
    expect(oldest?.age).toBe(0n);

    const moved = { ...facts(7), rack: 'r-new' };
    const done = await apply({ hosts: [...all.slice(0, 7), moved, ...all.slice(8, 1000)] });
    expect(done.hosts.filter(({ outcome }) => outcome !== ApplyOutcome.UNCHANGED)).toEqual([
      { id: 'host-7', outcome: ApplyOutcome.UPDATED, message: '', violations: [], changed: ['spec.rack'] },
    ]);
    expect(await store.count('changes')).toBe(2002);
  });

  it('sees a new password and no other difference, and tells it to nobody', async () => {
    await apply({ hosts: [facts(1)], classes: [gold] });
    expect(outcomes(await apply({ hosts: [facts(1)] }))).toEqual(['UNCHANGED']);
    const next = { ...facts(1), bmc: bmc(`${canary}-next`) };
    const done = await apply({ hosts: [next] });
    expect(done.hosts).toMatchObject([{ outcome: ApplyOutcome.UPDATED, changed: ['spec.bmc.password'] }]);
    expect(outcomes(await apply({ hosts: [next] }))).toEqual(['UNCHANGED']);
    const secrets = await store.kinds.hosts.store.secretsOf(store.database, 'host-1');
    expect(Buffer.from(secrets.get('spec.bmc.password') ?? []).toString()).toBe(`${canary}-next`);
    for (const table of ['hosts', 'changes', 'audit', 'secrets', 'archive']) {
      const rows = await store.database.query({ text: `select row_to_json(t)::text as row from ${table} as t` });
      expect(JSON.stringify(rows)).not.toContain(canary);
      expect(JSON.stringify(rows)).not.toContain(Buffer.from(canary).toString('hex'));
    }
  });

  it('leaves alone what people and controllers wrote', async () => {
    await apply({ hosts: [facts(1)], classes: [gold] });
    const before = await host('host-1');
    if (before === undefined) throw new Error('the host is not there');
    await store.put({ clusters: [testCluster('c', {})] });
    await change(before, (copy) => {
      if (copy.spec !== undefined) Object.assign(copy.spec, { title: 'By hand', powerState: 1 });
      if (copy.status !== undefined) Object.assign(copy.status, { cluster: 'c', state: 2 });
    });
    expect(outcomes(await apply({ hosts: [facts(1)] }))).toEqual(['UNCHANGED']);
    expect(outcomes(await apply({ hosts: [{ ...facts(1), rack: 'x' }] }))).toEqual(['UPDATED']);
    expect(await host('host-1')).toMatchObject({
      spec: { title: 'By hand', powerState: 1, rack: 'x' },
      status: { cluster: 'c', state: 2 },
    });
    const [told] = await store.database.query({
      text: "select tenants_after from changes where object_id = 'host-1' order by seq desc limit 1",
    });
    expect(told).toEqual({ tenants_after: ['acme'] });
  });

  it('refuses what breaks a rule, names the fields, and goes on with the others', async () => {
    const done = await apply({
      classes: [gold, { id: 'gold-id' }, { id: '' }],
      hosts: [
        facts(1),
        { ...facts(2), bootMac: 'nonsense', bmc: { url: 'ftp://x' } },
        { ...facts(3), class: 'silver' },
        { ...facts(4), sourceId: '' },
        { ...facts(5), sourceId: 'device-1' },
        { ...facts(6), id: 'host-1' },
      ],
    });
    expect(outcomes(done)).toEqual(['CREATED', 'REFUSED', 'REFUSED', 'REFUSED', 'REFUSED', 'REFUSED']);
    expect(done.hosts.map(({ violations }) => violations.map(({ field }) => field))).toEqual([
      [],
      ['spec.boot_mac', 'spec.bmc.url'],
      ['spec.class'],
      ['source_id'],
      ['source_id'],
      ['id'],
    ]);
    expect(done.classes.map(({ outcome }) => outcome)).toEqual([ApplyOutcome.CREATED, ApplyOutcome.REFUSED, ApplyOutcome.REFUSED]);
    expect(await store.count('hosts')).toBe(1);
  });

  it('does not change the class of a host that is assigned', async () => {
    await apply({ hosts: [facts(1)], classes: [gold, { id: 'silver' }] });
    const before = await host('host-1');
    if (before === undefined) throw new Error('the host is not there');
    await change(before, (copy) => {
      if (copy.status !== undefined) copy.status.cluster = 'c';
    });
    const done = await apply({ hosts: [{ ...facts(1), class: 'silver' }] });
    expect(done.hosts).toMatchObject([{ outcome: ApplyOutcome.REFUSED, violations: [{ field: 'spec.class' }] }]);
  });

  it('never touches a host of another source or of a person', async () => {
    await store.put({ hosts: [testHost('by-hand', { spec: { serial: 'SN1' } })] });
    await apply({ source: 'other', hosts: [{ ...facts(2), sourceId: 'x' }], classes: [gold] });
    const done = await apply({ hosts: [{ ...facts(1), id: '' }, { ...facts(2), id: '' }, facts(3)] });
    expect(outcomes(done)).toEqual(['CONFLICT', 'CONFLICT', 'CREATED']);
    expect(done.hosts[0]).toMatchObject({ id: 'by-hand', message: expect.stringContaining('was created by hand') });
    expect(done.hosts[1]).toMatchObject({ id: 'host-2', message: expect.stringContaining('belongs to source "other"') });
    expect((await host('by-hand'))?.metadata?.version).toBe(0n);
  });

  it('adopts a host of a person where that is allowed, and keeps its id', async () => {
    await store.put({ hosts: [testHost('by-hand', { spec: { serial: 'SN1', title: 'By hand' } })] });
    options = { ...options, mayAdopt: true };
    expect(await apply({ hosts: [facts(1)], classes: [gold] })).toMatchObject({
      hosts: [{ id: 'by-hand', outcome: ApplyOutcome.UPDATED }],
    });
    expect(await host('by-hand')).toMatchObject({
      spec: { title: 'By hand', rack: 'r1' },
      status: { source: { name: 'bcm', id: 'device-1' } },
    });
    expect(outcomes(await apply({ hosts: [facts(1)] }))).toEqual(['UNCHANGED']);
  });

  it('adopts a host of a person once, and says so of another that is the same machine', async () => {
    const systemUuid = '11111111-1111-4111-8111-111111111111';
    await store.put({ hosts: [testHost('by-hand', { spec: { serial: 'SN1', systemUuid } })] });
    options = { ...options, mayAdopt: true };
    const twin = { ...facts(2), id: '', systemUuid };
    const done = await apply({ hosts: [{ ...facts(1), id: '' }, twin, facts(3)], classes: [gold] });
    expect(outcomes(done)).toEqual(['UPDATED', 'CONFLICT', 'CREATED']);
    expect(done.hosts[1]?.message).toContain('"by-hand" is taken by "device-1"');
    expect(await host('by-hand')).toMatchObject({ status: { source: { id: 'device-1' }, conditions: [] } });
  });

  it('makes a host again that was deleted', async () => {
    await apply({ hosts: [{ ...facts(1), id: '' }], classes: [gold] });
    await store.database.query({ text: 'delete from hosts' });
    expect(outcomes(await apply({ hosts: [facts(1)] }))).toEqual(['CREATED']);
    expect(await listSources(store.database, 'bcm')).toMatchObject([{ hosts: 1n }]);
    expect(await listSources(store.database, 'other')).toEqual([]);
  });

  it('leaves classes of others alone, and says so only when they differ', async () => {
    await apply({ source: 'other', classes: [gold] });
    expect((await apply({ classes: [gold] })).classes).toMatchObject([{ outcome: ApplyOutcome.UNCHANGED }]);
    const done = await apply({ classes: [{ ...gold, title: 'Golden' }] });
    expect(done.classes).toMatchObject([{ outcome: ApplyOutcome.CONFLICT, message: expect.stringContaining('belongs to source "other"') }]);
    expect((await apply({ source: 'other', classes: [{ ...gold, title: 'Golden' }] })).classes).toMatchObject([
      { outcome: ApplyOutcome.UPDATED },
    ]);
  });

  it('answers a dry run as if it were done', async () => {
    const done = await apply({ hosts: [facts(1)], classes: [gold] }, adminCall({ isDryRun: true }));
    expect(outcomes(done)).toEqual(['CREATED']);
    expect(await store.count('hosts')).toBe(0);
    expect(await store.count('host_classes')).toBe(0);
    expect(await store.count('changes')).toBe(0);
  });

  it('creates each host once when the same batch comes several times at once', async () => {
    await apply({ classes: [gold] });
    const hosts = Array.from({ length: 60 }, (_, i) => ({ ...facts(i), id: '' }));
    const batches = await Promise.all(Array.from({ length: 4 }, () => apply({ hosts })));
    expect(await store.count('hosts')).toBe(60);
    expect(await store.count('host_sources')).toBe(60);
    const all = batches.flatMap(outcomes);
    expect(all.filter((outcome) => outcome === 'CREATED')).toHaveLength(60);
    expect(all.filter((outcome) => outcome === 'UNCHANGED')).toHaveLength(180);
  });

  it('lets a synchronizer speak for its own source only', async () => {
    const { principal, ...rest } = adminCall();
    const sync: Call = { ...rest, principal: { ...principal, name: 'sync-bcm', role: 'sync', source: 'bcm' } };
    const code = async (batch: Batch): Promise<string> => await apply(batch, sync).then(() => 'ok', codeOf);
    expect(await code({ classes: [gold] })).toBe('ok');
    expect(await code({ source: 'other' })).toBe('permission_denied');
    expect(await code({ source: 'Not a source' })).toBe('invalid_argument');
    expect(await code({ hosts: Array.from({ length: 1001 }, (_, i) => ({ sourceId: String(i) })) })).toBe('invalid_argument');
  });
});

/** Writes a host as somebody else would. */
async function change(before: Host, edit: (copy: Host) => void): Promise<void> {
  await store.database.transaction([`hosts/${before.id}`], async (tx) => {
    const copy = structuredClone(before);
    edit(copy);
    const batch = new WriteBatch();
    store.kinds.hosts.store.update(batch, before, copy);
    await batch.flush(tx);
  });
}
