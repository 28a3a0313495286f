import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { ConditionStatus } from '@quartermaster/api/fulfillment';
import { ApplyHostsRequestSchema, ApplyOutcome, type HostFactsSchema } from '@quartermaster/api/fulfillment-extras';
import { type Host, type HostCondition, HostConditionSchema, HostConditionType } from '@quartermaster/api/private';
import { codeOf, FakeClock } from '@quartermaster/kernel';
import { ObjectWriter } from '@quartermaster/objects';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startTestDatabases, type TestDatabases } from '../../test/test-database.ts';
import { adminCall, openTestStore, type TestStore, testCluster, testHost } from '../../test/test-store.ts';
import { claimHosts } from '../assign/claim-hosts.ts';
import { disputeCondition } from '../identity/dispute.ts';
import { markLocks } from '../identity/mark-locks.ts';
import { judgeHosts } from '../objects/judge-hosts.ts';
import { type AppliedBatch, applyHosts } from './apply-hosts.ts';
import type { ApplyOptions } from './apply-options.ts';

type Facts = MessageInitShape<typeof HostFactsSchema>;

let databases: TestDatabases;
let store: TestStore;
let options: ApplyOptions;

beforeAll(async () => {
  databases = await startTestDatabases();
});

afterAll(async () => {
  await databases.stop();
});

beforeEach(async () => {
  store = await openTestStore(databases);
  options = { database: store.database, kinds: store.kinds, clock: new FakeClock(), newId: store.newId, onWritten: () => {} };
});

async function apply(source: string, hosts: Facts[], withdrawn: string[] = []): Promise<AppliedBatch> {
  return await applyHosts(options, adminCall(), create(ApplyHostsRequestSchema, { source, hosts, withdrawn }));
}

const all = async (): Promise<readonly Host[]> => {
  const rows = await store.database.query<{ body: Uint8Array }>({ text: 'select body from hosts order by id' });
  return rows.map(({ body }) => store.kinds.hosts.store.decode(body));
};
/** host -> what its condition says, for those that have it. */
const conflicts = async (): Promise<Record<string, string>> =>
  Object.fromEntries(
    (await all()).flatMap((host) => (disputeCondition(host) === undefined ? [] : [[host.id, disputeCondition(host)?.message ?? '']])),
  );
/** Everything that a write of any kind leaves behind. */
const traces = async () => [await store.count('changes'), await store.count('audit'), await store.count('host_claims')];

const machine = { serial: 'SN1', systemUuid: '4c4c4544-0042-3010-8044-b3c04f4e5a32', bootMac: 'b8:3f:d2:00:00:01' };
const ofBcm: Facts = { sourceId: 'device-1', id: 'h1', ...machine };

/** Who writes hosts for people. */
function writer(): ObjectWriter<Host> {
  const { database, clock, newId, onWritten } = options;
  const { kinds } = store;
  const alsoWrite = judgeHosts({ kinds, clock, newId });
  return new ObjectWriter(kinds.hosts, { database, kinds, clock, newId, onWritten, alsoWrite, alsoLock: (host) => markLocks(host) });
}

const withConditions = (conditions: HostCondition[]) => (stored: Host) => {
  const object = store.kinds.hosts.store.copy(stored);
  if (object.status !== undefined) object.status.conditions = conditions;
  return { object, violations: [], sends: () => false };
};

const remove = async (id: string): Promise<void> => await writer().delete(adminCall(), id);

describe('a machine that two sources claim', () => {
  it.each([
    ['serial SN1', { serial: 'SN1' }],
    ['system UUID 4c4c4544-0042-3010-8044-b3c04f4e5a32', { systemUuid: machine.systemUuid.toUpperCase() }],
    ['MAC address b8:3f:d2:00:00:01', { nics: { items: [{ mac: 'b83fd2000001' }] } }],
    ['id', { id: 'h1' }],
  ])('is told by the host, with both sources and the same %s, until the other source corrects itself', async (mark, facts) => {
    await apply('bcm', [ofBcm]);
    const done = await apply('netbox', [{ sourceId: '17', ...facts }]);
    expect(done.hosts).toMatchObject([{ id: 'h1', outcome: ApplyOutcome.CONFLICT, message: expect.stringContaining(mark) }]);
    const said = `More than one source claims this machine: "bcm" has it as "device-1", "netbox" has it as "17" (same ${mark}).`;
    expect(await conflicts()).toEqual({ h1: expect.stringContaining(said) });
    const [audited] = await store.database.query({ text: 'select object_id, outcome from audit order by id desc limit 1' });
    expect(audited).toEqual({ object_id: 'h1', outcome: 'updated' });

    const before = await traces();
    expect((await apply('netbox', [{ sourceId: '17', ...facts }])).hosts[0]?.outcome).toBe(ApplyOutcome.CONFLICT);
    expect((await apply('bcm', [ofBcm])).hosts).toMatchObject([
      { outcome: ApplyOutcome.UNCHANGED, message: expect.stringContaining(said) },
    ]);
    expect(await traces()).toEqual(before);

    const corrected = await apply('netbox', [{ sourceId: '17', serial: 'SN2' }]);
    expect(corrected.hosts[0]?.outcome).toBe(ApplyOutcome.CREATED);
    expect(await conflicts()).toEqual({});
    expect(await store.count('host_claims')).toBe(0);
    expect((await apply('bcm', [ofBcm])).hosts).toMatchObject([{ outcome: ApplyOutcome.UNCHANGED, message: '' }]);
  });

  it('is assigned to nobody while it is disputed', async () => {
    await store.put({ clusters: [testCluster('c', { w: { hostClass: 'gold', size: 1 } })] });
    await applyHosts(
      options,
      adminCall(),
      create(ApplyHostsRequestSchema, {
        source: 'bcm',
        hosts: [{ ...ofBcm, class: 'gold', bmc: { url: 'https://bmc.example.com' } }],
        classes: [{ id: 'gold' }],
      }),
    );
    await apply('netbox', [{ sourceId: '17', serial: 'SN1' }]);
    const claim = async () => {
      const request = { cluster: 'c', nodeSet: 'w', count: 1, allOrNothing: false, dryRun: false } as const;
      return await claimHosts(options, adminCall(), { $typeName: 'quartermaster.fulfillment.v1.ClaimHostsRequest', ...request });
    };
    expect(await claim()).toMatchObject({ hosts: [], missing: 1, refusals: [{ reason: 'CONFLICT', hosts: 1 }] });
    await apply('netbox', [], ['17']);
    expect(await claim()).toMatchObject({ hosts: ['h1'], missing: 0 });
    await apply('netbox', [{ sourceId: '17', serial: 'SN1' }]);
    const [told] = await store.database.query({
      text: 'select tenants_before, tenants_after from changes order by xid desc, seq desc limit 1',
    });
    expect(told).toEqual({ tenants_before: ['acme'], tenants_after: ['acme'] });
  });

  it('is settled when its own source corrects itself, when the other one takes back what it said, and when the host is deleted', async () => {
    const claimed: Facts = { sourceId: '17', serial: 'SN1' };
    for (const settle of [
      () => apply('bcm', [{ ...ofBcm, serial: 'SN9' }]),
      () => apply('netbox', [], ['17', 'never heard of']),
      () => remove('h1'),
    ]) {
      await apply('bcm', [ofBcm]);
      await apply('netbox', [claimed]);
      expect(Object.keys(await conflicts())).toEqual(['h1']);
      await settle();
      expect(await conflicts()).toEqual({});
      expect(await store.count('host_claims')).toBe(0);
    }
    expect((await apply('netbox', [claimed])).hosts[0]?.outcome).toBe(ApplyOutcome.CREATED);
    const both = apply('netbox', [claimed], ['17']).then(() => 'ok', codeOf);
    expect(await both).toBe('invalid_argument');
  });

  it('is told by both hosts when each source has brought one before anybody could know, and by the other no longer once one is deleted', async () => {
    await apply('bcm', [{ sourceId: 'a', id: 'h1', serial: 'SN1' }]);
    await apply('netbox', [{ sourceId: 'b', id: 'h2', serial: 'SN2' }]);
    const done = await apply('netbox', [{ sourceId: 'b', serial: 'SN1' }]);
    expect(done.hosts).toMatchObject([
      { id: 'h2', outcome: ApplyOutcome.UPDATED, message: expect.stringContaining('"bcm" has it as "a"') },
    ]);
    expect(Object.keys(await conflicts())).toEqual(['h1', 'h2']);
    const before = await traces();
    await apply('netbox', [{ sourceId: 'b', serial: 'SN1' }]);
    await apply('bcm', [{ sourceId: 'a', serial: 'SN1' }]);
    // The host is there until somebody deletes it, whatever its source withdraws.
    await apply('netbox', [], ['b']);
    expect(await traces()).toEqual(before);
    await remove('h2');
    expect(await conflicts()).toEqual({});
    expect(await store.count('host_claims')).toBe(0);
  });

  it('stays disputed whatever others write into its conditions, and hides nothing of that', async () => {
    await apply('bcm', [ofBcm]);
    await apply('netbox', [{ sourceId: '17', serial: 'SN1' }]);
    const told = await conflicts();
    const [type, status] = [HostConditionType.DEGRADED, ConditionStatus.TRUE];
    for (const conditions of [[], [create(HostConditionSchema, { type, status, reason: 'FanFailed' })]]) {
      await writer().update(adminCall(), { id: 'h1', merge: withConditions(conditions) });
      expect(await conflicts()).toEqual(told);
    }
    const reasons = async () => (await all())[0]?.status?.conditions.map(({ reason }) => reason);
    expect(await reasons()).toEqual(['FanFailed', 'SourceConflict']);
    await apply('netbox', [], ['17']);
    expect(await reasons()).toEqual(['FanFailed']);
  });

  it('is no way to take a host off sale: a person cannot write the condition', async () => {
    const condition = create(HostConditionSchema, { type: HostConditionType.DISPUTED, status: ConditionStatus.TRUE, reason: 'Mine' });
    await writer().create(adminCall(), testHost('made', { status: { conditions: [condition] } }), []);
    await writer().update(adminCall(), { id: 'made', merge: withConditions([condition]) });
    expect(await conflicts()).toEqual({});
  });

  it('is none where very many hosts say the same: that is not a serial number, and the hosts are sold', async () => {
    const serial = 'BLADE-CENTER';
    await apply(
      'bcm',
      Array.from({ length: 9 }, (_, i) => ({ sourceId: `${i}`, serial })),
    );
    const done = await apply('netbox', [{ sourceId: '17', serial }]);
    expect(done.hosts).toMatchObject([{ outcome: ApplyOutcome.CREATED, message: '' }]);
    expect(await conflicts()).toEqual({});
    expect(await store.count('host_claims')).toBe(0);
  });

  it('leaves a host of a person alone that one source claims, and tells of two', async () => {
    await store.put({ hosts: [testHost('by-hand', { spec: { serial: 'SN1' } })] });
    await apply('bcm', [{ sourceId: 'a', serial: 'SN1' }]);
    expect((await all())[0]?.metadata?.version).toBe(0n);
    await apply('netbox', [{ sourceId: 'b', serial: 'SN1' }]);
    expect(await conflicts()).toEqual({
      'by-hand': expect.stringContaining('"bcm" has it as "a" (same serial SN1), "netbox" has it as "b"'),
    });
  });

  it('becomes one host, however the sources race, and ends with the condition', async () => {
    const machines = Array.from({ length: 20 }, (_, i) => ({ sourceId: `${i}`, serial: `SN${i}` }));
    await Promise.all(['bcm', 'netbox', 'ironic', 'bcm'].map((source) => apply(source, machines)));
    const hosts = await all();
    expect(hosts.map(({ spec }) => spec?.serial ?? '').toSorted()).toEqual(machines.map(({ serial }) => serial).toSorted());
    expect(Object.keys(await conflicts())).toHaveLength(20);
    await Promise.all(
      ['netbox', 'ironic'].map((source) =>
        apply(
          source,
          [],
          machines.map(({ sourceId }) => sourceId),
        ),
      ),
    );
    const left = hosts.filter(({ status }) => status?.source?.name === 'bcm').map(({ id }) => id);
    expect((await all()).filter((host) => left.includes(host.id) && disputeCondition(host) !== undefined)).toEqual([]);
  });

  it('is told after any history of what three sources say, and a second look writes nothing', async () => {
    const sources = ['bcm', 'netbox', 'ironic'] as const;
    const said = fc.record({ source: fc.constantFrom(...sources), x: fc.integer({ min: 0, max: 3 }), y: fc.integer({ min: 0, max: 3 }) });
    const history = fc.array(fc.array(said, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(history, async (steps) => {
        store = await openTestStore(databases);
        options = { ...options, database: store.database, kinds: store.kinds };
        const says = new Map<string, { x: number; y: number }>();
        const say = (source: string, { x, y }: { x: number; y: number }) =>
          apply(source, [
            { sourceId: 'x', id: `${source}-x`, serial: `SN${x}` },
            { sourceId: 'y', id: `${source}-y`, serial: `SN${y}` },
          ]);
        for (const step of steps) {
          const last = new Map(step.map(({ source, x, y }) => [source, { x, y }]));
          await Promise.all([...last].map(([source, view]) => say(source, view)));
          for (const [source, view] of last) says.set(source, view);
        }
        for (const [source, view] of says) await say(source, view);
        const before = await traces();
        for (const [source, view] of [...says].toReversed()) await say(source, view);
        expect(await traces()).toEqual(before);
        const hosts = await all();
        for (const host of hosts) {
          const { serial = '' } = host.spec ?? {};
          const claimants = [...says].filter(([, { x, y }]) => [x, y].some((each) => serial === `SN${each}`));
          const isTwin = hosts.some((other) => other.id !== host.id && other.spec?.serial === serial);
          expect([host.id, disputeCondition(host) !== undefined]).toEqual([host.id, claimants.length > 1 || isTwin]);
        }
      }),
      { numRuns: 6 },
    );
  });
});
