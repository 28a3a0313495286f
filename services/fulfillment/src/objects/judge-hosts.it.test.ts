import { create, type Message, type MessageInitShape, toBinary } from '@bufbuild/protobuf';
import { ConditionStatus } from '@quartermaster/api/fulfillment';
import {
  ApplyHostsRequestSchema,
  ApplyOutcome,
  ClaimHostsRequestSchema,
  type HostFactsSchema,
} from '@quartermaster/api/fulfillment-extras';
import { type Host, HostConditionType, HostSchema, type HostSpecSchema } from '@quartermaster/api/private';
import { FakeClock } from '@quartermaster/kernel';
import { ObjectWriter } from '@quartermaster/objects';
import type { Queryable, Statement } from '@quartermaster/store';
import { WriteBatch } from '@quartermaster/store';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startTestDatabases, type TestDatabases } from '../../test/test-database.ts';
import { adminCall, openTestStore, type TestStore, testCluster, testHost } from '../../test/test-store.ts';
import { type AppliedBatch, applyHosts } from '../apply/apply-hosts.ts';
import { type Claimed, claimHosts } from '../assign/claim-hosts.ts';
import { disputeCondition } from '../identity/dispute.ts';
import { markLocks } from '../identity/mark-locks.ts';
import { neighbourIds, soughtOf } from '../identity/read-neighbours.ts';
import { judgeHosts } from './judge-hosts.ts';

type Spec = Exclude<MessageInitShape<typeof HostSpecSchema>, Message>;
type Facts = Exclude<MessageInitShape<typeof HostFactsSchema>, Message>;

let databases: TestDatabases;
let store: TestStore;
const clock = new FakeClock();
const onWritten = () => {};
const statements: string[] = [];

beforeAll(async () => {
  databases = await startTestDatabases();
});

afterAll(() => databases.stop());

beforeEach(async () => {
  store = await openTestStore(databases, { query: (name) => statements.push(name) });
  await store.put({ clusters: [testCluster('c', { w: { hostClass: 'gold', size: 100 } })] });
  await apply('none', []);
});

/** Who writes hosts for people. */
function writer(): ObjectWriter<Host> {
  const { database, kinds, newId } = store;
  const alsoWrite = judgeHosts({ kinds, clock, newId });
  return new ObjectWriter(kinds.hosts, { database, kinds, clock, newId, onWritten, alsoWrite, alsoLock: (host) => markLocks(host) });
}

const provisionable = { class: 'gold', bmc: { url: 'https://bmc.example.com' } };
const mac = (index: number): string => `b8:3f:d2:00:01:${index.toString(16).padStart(2, '0')}`;

const make = async (id: string, spec: Spec): Promise<Host> =>
  await writer().create(adminCall(), testHost(id, { spec: { ...provisionable, ...spec } }), []);
const remove = async (id: string): Promise<void> => await writer().delete(adminCall(), id);

async function change(id: string, spec: Partial<Host['spec']>): Promise<Host> {
  const merge = (stored: Host) => {
    const object = store.kinds.hosts.store.copy(stored);
    Object.assign(object.spec ?? {}, spec);
    return { object, violations: [], sends: () => false };
  };
  return await writer().update(adminCall(), { id, merge });
}

async function apply(source: string, facts: Facts[]): Promise<AppliedBatch> {
  const options = { database: store.database, kinds: store.kinds, clock, newId: store.newId, onWritten };
  const hosts = facts.map((each) => ({ ...provisionable, ...each }));
  return await applyHosts(options, adminCall(), create(ApplyHostsRequestSchema, { source, hosts, classes: [{ id: 'gold' }] }));
}

async function claim(isDryRun = false, count = 0): Promise<Claimed> {
  const { database, kinds, newId } = store;
  return await claimHosts(
    { database, kinds, clock, newId, onWritten },
    adminCall({ isDryRun }),
    create(ClaimHostsRequestSchema, { cluster: 'c', nodeSet: 'w', count }),
  );
}

/** host -> what its condition says, for those that have it. */
async function disputes(): Promise<Record<string, string>> {
  const rows = await store.database.query<{ body: Uint8Array }>({ text: 'select body from hosts order by id' });
  const hosts = rows.map(({ body }) => store.kinds.hosts.store.decode(body));
  return Object.fromEntries(
    hosts.flatMap((host) => {
      const condition = disputeCondition(host);
      return condition === undefined ? [] : [[host.id, `${condition.reason}: ${condition.message}`]];
    }),
  );
}

const traces = async () => [await store.count('changes'), await store.count('audit'), await store.count('host_claims')];
const uuid = '4c4c4544-0042-3010-8044-b3c04f4e5a32';

describe('a person who makes a host that is the same machine as another', () => {
  it.each([
    ['serial SN1', { serial: 'SN1' }, { serial: ' SN1 ' }],
    [`system UUID ${uuid}`, { systemUuid: uuid }, { systemUuid: uuid.toUpperCase() }],
    ['MAC address b8:3f:d2:00:01:07', { bootMac: mac(7) }, { bootMac: 'B83FD2000107' }],
    ['MAC address b8:3f:d2:00:01:07', { bootMac: mac(7) }, { nics: [{ mac: mac(7) }] }],
    ['height unit 8 of rack r1', { rack: 'r1', rackUnit: 7, rackHeight: 2 }, { rack: 'r1', rackUnit: 8 }],
  ])('has a conflict on both for the %s, and neither can be claimed until it is settled', async (mark, one, other) => {
    await make('h1', { bootMac: mac(1), ...one });
    expect(disputeCondition(await make('h2', { bootMac: mac(2), ...other }))?.message).toContain(`Host "h1"`);
    const told = await disputes();
    expect(Object.keys(told)).toEqual(['h1', 'h2']);
    for (const text of Object.values(told)) expect(text).toContain(mark);
    expect(await claim()).toMatchObject({ claimed: [], refusals: [{ reason: 'CONFLICT', hosts: 2 }] });

    await change('h2', { serial: 'SN2', systemUuid: '', bootMac: mac(2), nics: [], rackUnit: 20 });
    expect(await disputes()).toEqual({});
    expect(await store.count('host_claims')).toBe(0);
    await change('h2', { ...(await make('h3', { bootMac: mac(3), ...other })).spec });
    await remove('h3');
    expect(Object.keys(await disputes())).toEqual(['h1', 'h2']);
    await remove('h1');
    expect(await disputes()).toEqual({});
    expect((await claim()).claimed).toEqual(['h2']);
  });

  it.each([
    ['is removed', () => remove('h1')],
    ['is changed', () => change('h1', { rack: 'r1', rackUnit: 1 })],
  ])('frees the other when one that an earlier release has corrected without judging it %s', async (_, write) => {
    const twin = await make('h1', { serial: 'SN1', bootMac: mac(1) });
    await make('h2', { serial: 'SN1', bootMac: mac(2) });
    const { store: hosts } = store.kinds.hosts;
    const stored = await hosts.get(store.database, twin.id);
    const corrected = hosts.copy(stored ?? twin);
    Object.assign(corrected.spec ?? {}, { serial: 'SN9' });
    const batch = new WriteBatch();
    hosts.update(batch, stored ?? twin, corrected);
    await store.database.transaction(['hosts/h1'], (tx) => batch.flush(tx));
    await write();
    expect(await disputes()).toEqual({});
    expect(await store.count('host_claims')).toBe(0);
    expect((await claim()).claimed).toContain('h2');
  });

  it('has it on all of those that were made at once', async () => {
    const ids = ['h1', 'h2', 'h3', 'h4'];
    await Promise.all(ids.map((id, index) => make(id, { serial: 'SN1', bootMac: mac(index) })));
    expect(Object.keys(await disputes())).toEqual(ids);
  });

  it.each([
    ['serial number', { serial: 'SN1' }, { serial: 'SN1' }],
    ['place', { rack: 'r9' }, { rackHeight: 3 }],
  ])('has it on both of two that were given the same %s at once', async (_, one, other) => {
    await make('h1', { serial: 'SN8', bootMac: mac(1), rack: 'r8', rackUnit: 5 });
    await make('h2', { serial: 'SN9', bootMac: mac(2), rack: 'r9', rackUnit: 3 });
    await Promise.all([change('h1', one), change('h2', other)]);
    expect(Object.keys(await disputes())).toEqual(['h1', 'h2']);
  });

  it('has it on a host of a source, too, of which the source then has nothing to write', async () => {
    await apply('bcm', [{ sourceId: 'a', id: 'h1', serial: 'SN1', bootMac: mac(1) }]);
    await make('h2', { serial: 'SN1', bootMac: mac(2) });
    expect(await disputes()).toEqual({
      h1: expect.stringContaining('SameMachine: Host "h2" is the same machine (same serial SN1).'),
      h2: expect.stringContaining('SameMachine: Host "h1" is the same machine (same serial SN1).'),
    });
    const before = await traces();
    const again = await apply('bcm', [{ sourceId: 'a', serial: 'SN1', bootMac: mac(1) }]);
    expect(again.hosts).toMatchObject([{ outcome: ApplyOutcome.UNCHANGED, message: expect.stringContaining('"h2"') }]);
    expect(await traces()).toEqual(before);
    await apply('bcm', [{ sourceId: 'a', serial: 'SN9', bootMac: mac(1) }]);
    expect(await disputes()).toEqual({});
  });

  it('is told of it in a dry run, which writes nothing', async () => {
    await make('h1', { serial: 'SN1' });
    const before = await traces();
    const shown = await writer().create(adminCall({ isDryRun: true }), testHost('h2', { spec: { serial: 'SN1' } }), []);
    expect(disputeCondition(shown)?.reason).toBe('SameMachine');
    expect(await traces()).toEqual(before);
  });
});

describe('a source that reports a machine twice', () => {
  it('has a conflict on both, in one batch or in two, and none once it corrects itself', async () => {
    const twins = [
      { sourceId: 'a', id: 'h1', serial: 'SN1', bootMac: mac(1) },
      { sourceId: 'b', id: 'h2', serial: 'SN1', bootMac: mac(2) },
    ];
    const done = await apply('bcm', twins);
    expect(done.hosts).toMatchObject([
      { outcome: ApplyOutcome.CREATED, message: expect.stringContaining('"h2" is the same machine') },
      { outcome: ApplyOutcome.CREATED, message: expect.stringContaining('"h1" is the same machine') },
    ]);
    expect(Object.keys(await disputes())).toEqual(['h1', 'h2']);
    expect(await claim()).toMatchObject({ claimed: [], refusals: [{ reason: 'CONFLICT', hosts: 2 }] });
    const before = await traces();
    await apply('bcm', twins);
    expect(await traces()).toEqual(before);
    await apply('bcm', [{ sourceId: 'c', id: 'h3', serial: 'SN1', bootMac: mac(3) }]);
    expect(Object.keys(await disputes())).toEqual(['h1', 'h2', 'h3']);
    await apply('bcm', [
      { sourceId: 'b', serial: 'SN2' },
      { sourceId: 'c', serial: 'SN3' },
    ]);
    expect(await disputes()).toEqual({});
    expect((await claim()).claimed).toEqual(['h1', 'h2', 'h3']);
  });

  it('has it on all of them, however often it does, and on none once one is left', async () => {
    const machine = { serial: 'SN1', systemUuid: uuid, bootMac: mac(1), nics: { items: [{ mac: mac(1) }] } };
    const ids = Array.from({ length: 24 }, (_, index) => `h${index}`);
    const told = async () => Object.keys(await disputes()).toSorted();
    for (const [from, to] of [
      [0, 7],
      [7, 8],
      [8, 9],
      [9, 10],
      [10, 24],
    ] as const) {
      const batch = ids.slice(from, to).map((id) => ({ sourceId: `s-${id}`, id, ...machine }));
      await apply('bcm', batch);
      expect(await told()).toEqual(ids.slice(0, to).toSorted());
    }
    expect(await claim()).toMatchObject({ claimed: [], refusals: [{ reason: 'CONFLICT', hosts: 24 }] });
    const before = await traces();
    await apply(
      'bcm',
      ids.map((id) => ({ sourceId: `s-${id}`, ...machine })),
    );
    expect(await traces()).toEqual(before);
    await change('h5', { bootMac: mac(5), nics: [], serial: 'SN5', systemUuid: '' });
    const left = ids.filter((id) => id !== 'h5');
    while (left.length > 1) {
      await remove(left.pop() ?? '');
      expect(await told()).toEqual(left.length > 1 ? left.toSorted() : []);
    }
    expect((await claim()).claimed).toEqual(['h0', 'h5']);
    expect(await store.count('host_claims')).toBe(0);
  });

  it('may exchange what two hosts are known by in one batch', async () => {
    await apply('bcm', [
      { sourceId: 'a', id: 'h1', serial: 'SN1' },
      { sourceId: 'b', id: 'h2', serial: 'SN2' },
    ]);
    await apply('bcm', [
      { sourceId: 'a', serial: 'SN2' },
      { sourceId: 'b', serial: 'SN1' },
    ]);
    expect(await disputes()).toEqual({});
  });

  it('has it on two that stand in the same units, but not with those of another source, whose racks may be others', async () => {
    const place = { rack: 'r1', rackUnit: 5, rackHeight: 4 };
    await apply('bcm', [{ sourceId: 'a', id: 'h1', bootMac: mac(1), ...place }]);
    await apply('netbox', [{ sourceId: '1', id: 'n1', bootMac: mac(2), ...place }]);
    expect(await disputes()).toEqual({});
    await apply('bcm', [{ sourceId: 'b', id: 'h2', bootMac: mac(3), ...place, rackUnit: 8 }]);
    expect(await disputes()).toEqual({
      h1: expect.stringContaining('SamePlace: Host "h2" is in the same place (height unit 8 of rack r1).'),
      h2: expect.stringContaining('SamePlace: Host "h1"'),
    });
    await apply('bcm', [{ sourceId: 'b', rackUnit: 9 }]);
    expect(await disputes()).toEqual({});
  });
});

describe('what identifies nothing', () => {
  it('takes no fleet off sale: placeholders of firmware, and what too many hosts have in common', async () => {
    const shared = { systemUuid: '03000200-0400-0500-0006-000700080009', nics: { items: [{ mac: mac(99) }] }, rack: 'r1', rackUnit: 3 };
    const serials = ['NA', '1234567890', 'To be filled by O.E.M.', 'Default string', 'xxxx'];
    const fleet = Array.from({ length: 20 }, (_, i) => ({ sourceId: `${i}`, serial: serials[i % 5] ?? '', bootMac: mac(i), ...shared }));
    for (const facts of fleet) await apply('bcm', [facts]);
    expect(await disputes()).toEqual({});
    expect((await claim()).claimed).toHaveLength(20);
    expect(await store.count('host_claims')).toBe(0);
  });

  it('is a MAC address from the third host on, and is one again when that is gone', async () => {
    const nics = [{ mac: mac(99) }];
    await make('h1', { bootMac: mac(1), nics });
    await make('h2', { bootMac: mac(2), nics });
    expect(Object.keys(await disputes())).toEqual(['h1', 'h2']);
    await make('h3', { bootMac: mac(3), nics });
    expect(await disputes()).toEqual({});
    await remove('h3');
    expect(Object.keys(await disputes())).toEqual(['h1', 'h2']);
  });
});

describe('a dispute', () => {
  it('is what the table of claims says, although the host was written by somebody who knew nothing of it', async () => {
    await make('h1', { serial: 'SN1', bootMac: mac(1) });
    await make('h2', { serial: 'SN1', bootMac: mac(2) });
    await make('h3', { serial: 'SN3', bootMac: mac(3) });
    const [host] = await store.database.query<{ readonly body: Uint8Array }>({ text: "select body from hosts where id = 'h1'" });
    const former = store.kinds.hosts.store.decode(host?.body ?? new Uint8Array());
    if (former.status !== undefined) former.status.conditions = [];
    await store.database.query({ text: "update hosts set is_disputed = false, body = $1 where id = 'h1'" }, [toBinary(HostSchema, former)]);
    expect(Object.keys(await disputes())).toEqual(['h2']);
    for (const isDryRun of [true, false]) {
      expect(await claim(isDryRun)).toMatchObject({ claimed: ['h3'], refusals: [{ reason: 'CONFLICT', hosts: 2 }] });
    }
  });
});

describe('a host that an earlier release has written', () => {
  const twin = (id: string, index: number) => testHost(id, { spec: { ...provisionable, serial: 'SN1', bootMac: mac(index) } });

  it('is not assigned while another is the same machine, although nobody has judged the two', async () => {
    await store.put({ hosts: [twin('h1', 1), twin('h2', 2)] });
    for (const isDryRun of [true, false]) {
      expect(await claim(isDryRun)).toMatchObject({ claimed: [], refusals: [{ reason: 'CONFLICT', hosts: 2 }] });
    }
    await make('h3', { bootMac: mac(3) });
    expect(await claim()).toMatchObject({ claimed: ['h3'], refusals: [{ reason: 'CONFLICT', hosts: 2 }] });
  });

  it('is judged by the claim that finds it, and by a dry run of one not', async () => {
    await store.put({ hosts: [twin('h1', 1), twin('h2', 2)] });
    const before = await traces();
    await claim(true);
    expect(await traces()).toEqual(before);
    await claim();
    expect(await disputes()).toEqual({
      h1: expect.stringContaining('SameMachine: Host "h2" is the same machine (same serial SN1).'),
      h2: expect.stringContaining('SameMachine: Host "h1" is the same machine (same serial SN1).'),
    });
    const judged = await traces();
    expect(await claim()).toMatchObject({ claimed: [], refusals: [{ reason: 'CONFLICT', hosts: 2 }] });
    expect(await traces()).toEqual(judged);
  });

  it('costs a claim little, however many there are', async () => {
    const pair = (index: number) =>
      ['a', 'b'].map((side, at) =>
        testHost(`${side}${index}`, { spec: { ...provisionable, serial: `SN-${index}`, bootMac: mac(2 * index + at) } }),
      );
    await store.put({ hosts: Array.from({ length: 100 }, (_, index) => pair(index)).flat() });
    for (const isDryRun of [true, false]) {
      statements.length = 0;
      expect(await claim(isDryRun, 1)).toMatchObject({ claimed: [], refusals: [{ reason: 'CONFLICT', hosts: 200 }] });
      expect(statements.filter((name) => name === 'begin').length).toBeLessThan(10);
    }
    expect(Object.keys(await disputes())).toHaveLength(200);
    await make('free', { bootMac: 'b8:3f:d2:00:02:01' });
    statements.length = 0;
    expect((await claim(false, 1)).claimed).toEqual(['free']);
    expect(statements.filter((name) => name === 'begin')).toHaveLength(1);
  });

  it.each(['rack', 'boot MAC'])('is judged when a person changes its %s alone', async (what) => {
    await store.put({ hosts: [twin('h1', 1), twin('h2', 2)] });
    await change('h1', what === 'rack' ? { rack: 'r1', rackUnit: 1 } : { bootMac: mac(3) });
    expect(Object.keys(await disputes())).toEqual(['h1', 'h2']);
  });

  it('stays disputed when a person changes something else after an earlier release has dropped the claims', async () => {
    await make('h1', { serial: 'SN1', bootMac: mac(1) });
    await make('h2', { serial: 'SN1', bootMac: mac(2) });
    const before = await disputes();
    await store.database.query({ text: 'delete from host_claims' });
    await change('h1', { rack: 'r1', rackUnit: 1 });
    expect(await disputes()).toEqual(before);
  });

  it('does not keep others from being assigned while it says that it is disputed, and nothing else does', async () => {
    const condition = { type: HostConditionType.DISPUTED, status: ConditionStatus.TRUE, reason: 'SameMachine' };
    const disputed = testHost('h1', { spec: { ...provisionable, bootMac: mac(1) }, status: { conditions: [condition] } });
    await store.put({ hosts: [disputed] });
    await store.database.query({ text: 'update hosts set is_disputed = false' });
    await make('h2', { bootMac: mac(2) });
    expect(await claim()).toMatchObject({ claimed: ['h2'], refusals: [{ reason: 'CONFLICT', hosts: 1 }] });
    await change('h1', { rack: 'r1', rackUnit: 1 });
    expect((await claim()).claimed).toEqual(['h1']);
  });
});

describe('a write that has nothing to do with any other host', () => {
  const place = { rack: 'r1', rackUnit: 7, rackHeight: 2 };
  const machine = { serial: 'SN1', systemUuid: uuid, bootMac: mac(1), nics: [{ mac: mac(1) }, { mac: mac(2) }] };
  const told = async (work: () => Promise<unknown>): Promise<string[]> => {
    statements.length = 0;
    await work();
    return statements.map((name) => name.replace(/^batch:.*/, 'batch'));
  };

  it('asks for others once, together with the locks of what it changes, and not at all where that identifies nothing', async () => {
    expect(await told(() => make('h1', { ...machine, ...place }))).toEqual([
      'begin',
      'shared-locks',
      'find-host_classes',
      'neighbours-of-hosts',
      'batch',
      'commit',
    ]);
    await make('h2', { serial: 'SN2', rack: 'r2', rackUnit: 1 });
    expect(await told(() => change('h1', { title: 'one' }))).toEqual(['begin', 'seen-hosts', 'batch', 'commit']);
    for (const spec of [{ rack: 'r2' }, { rackHeight: 1 }, { serial: 'SN3' }, { bootMac: mac(3) }]) {
      const expected = ['begin', 'seen-hosts', 'exclusive-locks', 'neighbours-of-hosts', 'batch', 'commit'];
      expect(await told(() => change('h1', spec))).toEqual(expected);
    }
    expect(await told(() => remove('h1'))).toEqual(['begin', 'seen-hosts', 'exclusive-locks', 'neighbours-of-hosts', 'batch', 'commit']);
  });
});

describe('a look for others', () => {
  interface Plan {
    readonly 'Relation Name'?: string;
    readonly 'Index Name'?: string;
    readonly 'Actual Rows': number;
    readonly 'Actual Loops': number;
    readonly 'Rows Removed by Filter'?: number;
    readonly Plans?: readonly Plan[];
  }
  /** Rows of hosts and entries of their indexes. */
  const readBy = (plan: Plan): number => {
    const { Plans: parts = [], 'Actual Rows': rows, 'Actual Loops': loops, 'Rows Removed by Filter': removed = 0 } = plan;
    const isRead = plan['Relation Name'] === 'hosts' || (plan['Index Name'] ?? '').startsWith('hosts_');
    return parts.reduce((sum, part) => sum + readBy(part), isRead ? (rows + removed) * loops : 0);
  };

  it('reads few hosts, also where very many boot from what a source has in place of an address', async () => {
    const shared = '00:11:22:33:44:55';
    await store.database.query(
      {
        text: `insert into hosts (id, created_at, data, body)
          select 'h' || i, now(), jsonb_build_object('spec', jsonb_build_object('boot_mac', $1::text, 'serial', 'SN' || i, 'system_uuid', 'U' || i)), ''
          from generate_series(1, 20000) as i`,
      },
      [shared],
    );
    await store.database.query({ text: 'analyze hosts' });
    let read = 0;
    const explaining: Queryable = {
      async query<R extends object>({ text }: Statement, values?: readonly unknown[]): Promise<readonly R[]> {
        const rows = await store.database.query<{ 'QUERY PLAN': readonly [{ Plan: Plan }] }>(
          { text: `explain (analyze, format json) ${text}` },
          values,
        );
        read += readBy(rows[0]?.['QUERY PLAN'][0].Plan ?? { 'Actual Rows': Number.NaN, 'Actual Loops': 1, 'Relation Name': 'hosts' });
        return [];
      },
    };
    const spec = { serial: 'SN7', systemUuid: 'U7', bootMac: shared };
    await neighbourIds(explaining, [soughtOf(testHost('h7', { spec }))]);
    expect(read).toBeGreaterThan(0);
    expect(read).toBeLessThan(100);
    const ids = await neighbourIds(store.database, [soughtOf(testHost('x', { spec }))]);
    expect(ids).toContain('h7');
  });
});
