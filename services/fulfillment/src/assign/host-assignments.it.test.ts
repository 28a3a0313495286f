import { create } from '@bufbuild/protobuf';
import { ClaimHostsRequestSchema, ReleaseHostsRequestSchema } from '@quartermaster/api/fulfillment-extras';
import { type Cluster, ClusterSchema, ClusterStatusSchema, type Host } from '@quartermaster/api/private';
import { codeOf, systemClock } from '@quartermaster/kernel';
import { lockOf } from '@quartermaster/store';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { startTestDatabases, type TestDatabases } from '../../test/test-database.ts';
import { adminCall, openTestStore, type TestStore, testCluster, testHost } from '../../test/test-store.ts';
import type { AssignOptions } from './assign-options.ts';
import { type Claimed, claimHosts } from './claim-hosts.ts';
import { type Released, releaseHosts } from './release-hosts.ts';

let databases: TestDatabases;
let store: TestStore;
let options: AssignOptions;
let wakes = 0;

beforeAll(async () => {
  databases = await startTestDatabases();
});

afterAll(async () => {
  await databases.stop();
});

beforeEach(async () => {
  store = await openTestStore(databases);
  wakes = 0;
  options = { database: store.database, kinds: store.kinds, clock: systemClock, newId: store.newId, onWritten: () => (wakes += 1) };
});

/** What a host needs to be provisioned; another machine each time. */
const bootable = () => {
  machines += 1;
  const digits = machines.toString(16).padStart(6, '0');
  return { bmc: { url: 'https://bmc.example.com' }, bootMac: `b8:3f:d2:${digits.slice(0, 2)}:${digits.slice(2, 4)}:${digits.slice(4)}` };
};
let machines = 0;
const gold = (id: string, rack = 'r1', status: Parameters<typeof testHost>[1] = {}): Host =>
  testHost(id, { spec: { ...bootable(), class: 'gold', rack }, ...status });

/** The cluster, to be provisioned by the hub. */
const withHub = (hub: string, cluster: Cluster): Cluster =>
  create(ClusterSchema, { ...cluster, status: create(ClusterStatusSchema, { hub }) });

interface Wish {
  readonly count?: number;
  readonly allOrNothing?: boolean;
  readonly isDryRun?: boolean;
  readonly nodeSet?: string;
}

async function claim(cluster: string, { isDryRun = false, nodeSet = 'w', ...wish }: Wish = {}): Promise<Claimed> {
  return await claimHosts(options, adminCall({ isDryRun }), create(ClaimHostsRequestSchema, { cluster, nodeSet, ...wish }));
}

async function release(cluster: string, request: { nodeSet?: string; hosts?: string[] } = {}, isDryRun = false): Promise<Released> {
  return await releaseHosts(options, adminCall({ isDryRun }), create(ReleaseHostsRequestSchema, { cluster, ...request }));
}

/** host -> its cluster, for those that have one; also checks that the lists of all clusters say the same. */
async function assignments(): Promise<Record<string, string>> {
  const rows = await store.database.query<{ id: string; cluster: string }>({
    text: "select id, cluster from hosts where cluster <> '' order by id",
  });
  const listed: Record<string, string> = {};
  const clusters = await store.database.query<{ body: Uint8Array }>({ text: 'select body from clusters' });
  for (const { body } of clusters) {
    const cluster = store.kinds.clusters.store.decode(body);
    for (const set of Object.values(cluster.status?.nodeSets ?? {})) {
      expect(set.hosts).toEqual(set.hosts.toSorted());
      for (const host of set.hosts) {
        expect(listed[host]).toBeUndefined();
        listed[host] = cluster.id;
      }
    }
  }
  const assigned = Object.fromEntries(rows.map(({ id, cluster }) => [id, cluster]));
  expect(listed).toEqual(assigned);
  return assigned;
}

/** Lets all of them choose their hosts before any of them can lock one. */
async function racing(hosts: readonly Host[], calls: readonly (() => Promise<Claimed>)[]): Promise<Claimed[]> {
  let running: Promise<Claimed>[] = [];
  await store.database.transaction(
    hosts.map(({ id }) => lockOf('hosts', id)),
    async (tx) => {
      // The locks are held once a statement has its answer.
      await tx.query({ text: 'select' });
      const begun = vi.spyOn(store.database, 'transaction');
      running = calls.map((call) => call());
      await vi.waitFor(() => expect(begun).toHaveBeenCalledTimes(calls.length), 10_000);
      begun.mockRestore();
    },
  );
  return await Promise.all(running);
}

describe('claiming hosts', () => {
  it('gives a node set the hosts it lacks, spread over racks, and writes hosts, cluster, feed and audit log', async () => {
    await store.put({
      hosts: [gold('h1', 'a'), gold('h2', 'a'), gold('h3', 'b'), gold('h4', 'c')],
      clusters: [testCluster('c', { w: { hostClass: 'gold', size: 3 } })],
    });
    const before = await store.count('changes');
    const claimed = await claim('c');
    expect(claimed).toMatchObject({ hosts: ['h1', 'h3', 'h4'], claimed: ['h1', 'h3', 'h4'], missing: 0, refusals: [] });
    expect(claimed.cluster).toMatchObject({
      metadata: { version: 1n },
      status: { nodeSets: { w: { hosts: ['h1', 'h3', 'h4'], size: 3, hostClass: 'gold' } } },
    });
    expect(await assignments()).toEqual({ h1: 'c', h3: 'c', h4: 'c' });
    expect((await store.count('changes')) - before).toBe(4);
    expect(await store.count('audit')).toBe(4);
    expect(wakes).toBe(1);
    const [change] = await store.database.query<{ tenants_before: string[]; tenants_after: string[] }>({
      text: "select tenants_before, tenants_after from changes where object_id = 'h1' and type = 'updated'",
    });
    expect(change).toEqual({ tenants_before: [], tenants_after: ['acme'] });
  });

  it('asks for a number in all: a repeated call claims and writes nothing', async () => {
    await store.put({ hosts: [gold('h1'), gold('h2'), gold('h3')], clusters: [testCluster('c', { w: { hostClass: 'gold', size: 2 } })] });
    await claim('c');
    const changes = await store.count('changes');
    expect(await claim('c')).toMatchObject({ hosts: ['h1', 'h2'], claimed: [], missing: 0 });
    expect(await claim('c', { count: 1 })).toMatchObject({ hosts: ['h1', 'h2'], claimed: [] });
    expect(await store.count('changes')).toBe(changes);
    expect(await claim('c', { count: 3 })).toMatchObject({ claimed: ['h3'], missing: 0 });
  });

  it('says why hosts were not taken when some are missing', async () => {
    await store.put({
      hosts: [
        gold('free'),
        gold('failed', 'r', { status: { state: 3 } }),
        gold('busy', 'r', { status: { state: 1 } }),
        gold('far', 'r', { status: { hub: 'elsewhere' } }),
        gold('dumb', 'r', { spec: { ...bootable(), bmc: { user: 'root' }, class: 'gold' } }),
        gold('mute', 'r', { spec: { ...bootable(), bootMac: '', class: 'gold' } }),
        gold('pooled', 'r', { status: { hostPool: 'p' } }),
        gold('theirs', 'r', { status: { cluster: 'other' } }),
        gold('disputed', 'r', { status: { conditions: [{ type: 101, status: 1, reason: 'SourceConflict' }] } }),
        testHost('silver', { spec: { class: 'silver' } }),
      ],
      clusters: [withHub('here', testCluster('c', { w: { hostClass: 'gold', size: 9 } }))],
    });
    const claimed = await claim('c');
    expect(claimed).toMatchObject({ claimed: ['free'], missing: 8 });
    expect(claimed.refusals.map(({ reason, hosts }) => [reason, hosts])).toEqual([
      ['ASSIGNED', 1],
      ['IN_POOL', 1],
      ['FAILED', 1],
      ['IN_PROGRESS', 1],
      ['OTHER_HUB', 1],
      ['CONFLICT', 1],
      ['NO_BMC', 1],
      ['NO_BOOT_MAC', 1],
    ]);
    expect(claimed.refusals.map(({ message }) => message)).toContain(
      '1 host of class "gold" is without the address of a management controller. Set spec.bmc.url',
    );
    expect(claimed.refusals[0]?.message).toContain('1 host of class "gold" is assigned to a cluster');
  });

  it('takes hosts of the hub of the cluster, and of none', async () => {
    const of = (id: string, hub: string) => gold(id, 'r1', { status: { hub } });
    await store.put({
      hosts: [of('h1', 'other'), of('h2', 'own'), of('h3', ''), of('h4', 'other')],
      clusters: [withHub('own', testCluster('c', { w: { hostClass: 'gold', size: 3 } }))],
    });
    expect(await claim('c')).toMatchObject({ claimed: ['h2', 'h3'], missing: 1, refusals: [{ reason: 'OTHER_HUB', hosts: 2 }] });
  });

  it('takes hosts of one hub only for a cluster that has none yet, for all of its node sets: of the one with the most', async () => {
    const of = (id: string, hub: string) => gold(id, 'r1', { status: { hub } });
    await store.put({
      hosts: [of('a1', 'a'), of('b1', 'b'), of('b2', 'b'), of('b3', 'b'), of('c1', 'c'), of('c2', 'c'), of('free', '')],
      clusters: [testCluster('c', { w: { hostClass: 'gold', size: 3 }, v: { hostClass: 'gold', size: 2 } })],
    });
    expect(await claim('c', { isDryRun: true, count: 6 })).toMatchObject({
      claimed: ['b1', 'b2', 'b3', 'free'],
      missing: 2,
      refusals: [{ reason: 'OTHER_HUB', hosts: 3 }],
    });
    expect(await claim('c', { count: 6, allOrNothing: true })).toMatchObject({
      claimed: [],
      refusals: [{ reason: 'OTHER_HUB', hosts: 3 }],
    });
    expect(await claim('c', { count: 2 })).toMatchObject({ claimed: ['b1', 'b2'] });
    // Of the hosts that are left another hub has more.
    expect(await claim('c', { nodeSet: 'v', count: 3 })).toMatchObject({ claimed: ['b3', 'free'], missing: 1 });
  });

  it('never ends with two hubs, however the node sets of a cluster race', async () => {
    const hosts = ['a', 'b'].flatMap((hub) => [1, 2, 3].map((index) => gold(`${hub}${index}`, 'r1', { status: { hub } })));
    await store.put({ hosts, clusters: [testCluster('c', { w: { hostClass: 'gold', size: 3 }, v: { hostClass: 'gold', size: 3 } })] });
    await Promise.all([claim('c', { count: 2 }), claim('c', { nodeSet: 'v', count: 2 }), claim('c', { count: 3 })]);
    const hubs = Object.keys(await assignments()).map((id) => id[0]);
    expect(new Set(hubs).size).toBe(1);
    expect(hubs).toHaveLength(3);
  });

  it('spreads each node set over racks for itself', async () => {
    await store.put({
      hosts: [gold('a1', 'a'), gold('a2', 'a'), gold('a3', 'a'), gold('b1', 'b'), gold('b2', 'b')],
      clusters: [testCluster('c', { w: { hostClass: 'gold', size: 2 }, v: { hostClass: 'gold', size: 3 } })],
    });
    expect(await claim('c', { count: 1 })).toMatchObject({ claimed: ['a1'] });
    expect(await claim('c', { nodeSet: 'v', count: 1 })).toMatchObject({ claimed: ['a2'] });
    expect(await claim('c', { count: 2 })).toMatchObject({ claimed: ['b1'] });
    expect(await claim('c', { nodeSet: 'v', count: 2 })).toMatchObject({ claimed: ['b2'] });
  });

  it('says that there are no hosts of the class', async () => {
    await store.put({ clusters: [testCluster('c', { w: { hostClass: 'gold', size: 1 } })] });
    expect(await claim('c')).toMatchObject({ claimed: [], missing: 1, refusals: [{ reason: 'NO_HOSTS' }] });
  });

  it('claims nothing when it should be all or nothing and there are too few', async () => {
    await store.put({ hosts: [gold('h1')], clusters: [testCluster('c', { w: { hostClass: 'gold', size: 2 } })] });
    expect(await claim('c', { allOrNothing: true })).toMatchObject({ hosts: [], claimed: [], missing: 2 });
    expect(await assignments()).toEqual({});
  });

  it('answers a dry run as if it were done', async () => {
    await store.put({ hosts: [gold('h1')], clusters: [testCluster('c', { w: { hostClass: 'gold', size: 1 } })] });
    expect(await claim('c', { isDryRun: true })).toMatchObject({ hosts: ['h1'], missing: 0 });
    expect(await assignments()).toEqual({});
    expect(wakes).toBe(0);
  });

  it('refuses what cannot be', async () => {
    await store.put({ clusters: [testCluster('c', { w: { hostClass: 'gold', size: 1 } })] });
    const code = async (promise: Promise<unknown>): Promise<string> => await promise.then(() => 'ok', codeOf);
    expect(await code(claim('unknown'))).toBe('not_found');
    expect(await code(claim('c', { nodeSet: 'x' }))).toBe('invalid_argument');
    expect(await code(claim('c', { count: -1 }))).toBe('invalid_argument');
    expect(await code(claim('', {}))).toBe('invalid_argument');
  });

  it('gives the last hosts to two clusters that race for them: each host once, none left', async () => {
    const hosts = Array.from({ length: 12 }, (_, i) => gold(`h${i}`, `r${i % 3}`));
    const sets = { w: { hostClass: 'gold', size: 10 } };
    await store.put({ hosts, clusters: [testCluster('a', sets), testCluster('b', sets)] });
    const claims = await racing(hosts, [() => claim('a'), () => claim('b')]);
    const assigned = await assignments();
    expect(Object.keys(assigned)).toHaveLength(12);
    expect(new Set(claims.map(({ claimed }) => claimed.length))).toEqual(new Set([2, 10]));
    expect(claims.reduce((sum, { missing }) => sum + missing, 0)).toBe(8);
  });

  it('gives hosts to one of two that race when each wants all or nothing', async () => {
    const hosts = Array.from({ length: 5 }, (_, i) => gold(`h${i}`));
    const sets = { w: { hostClass: 'gold', size: 3 } };
    await store.put({ hosts, clusters: [testCluster('a', sets), testCluster('b', sets)] });
    const claims = await racing(hosts, [() => claim('a', { allOrNothing: true }), () => claim('b', { allOrNothing: true })]);
    expect(new Set(claims.map(({ claimed }) => claimed.length))).toEqual(new Set([0, 3]));
    expect(Object.keys(await assignments())).toHaveLength(3);
  });

  it('keeps every host with one cluster while many clusters claim, release and repeat themselves', async () => {
    const hosts = Array.from({ length: 20 }, (_, i) => gold(`h${i}`, `r${i % 4}`));
    const ids = Array.from({ length: 6 }, (_, i) => `c${i}`);
    await store.put({
      hosts,
      clusters: ids.map((id) => testCluster(id, { w: { hostClass: 'gold', size: 5 }, v: { hostClass: 'gold', size: 2 } })),
    });
    await Promise.all(
      ids.flatMap((id, i) => [
        claim(id),
        claim(id),
        claim(id, { nodeSet: 'v' }),
        i % 2 === 0 ? release(id) : release(id, { nodeSet: 'w', hosts: ['h1', 'h2'] }),
      ]),
    );
    await assignments();
    await Promise.all(ids.map((id) => claim(id)));
    expect(Object.keys(await assignments()).length).toBeLessThanOrEqual(20);
    await Promise.all(ids.map((id) => release(id)));
    expect(await assignments()).toEqual({});
  });

  it('makes two racing calls for one node set claim what one of them would', async () => {
    await store.put({
      hosts: Array.from({ length: 9 }, (_, i) => gold(`h${i}`)),
      clusters: [testCluster('c', { w: { hostClass: 'gold', size: 4 } })],
    });
    await Promise.all(Array.from({ length: 5 }, () => claim('c')));
    expect(Object.keys(await assignments())).toHaveLength(4);
  });
});

describe('releasing hosts', () => {
  beforeEach(async () => {
    await store.put({
      hosts: ['h1', 'h2', 'h3', 'h4'].map((id) => gold(id)),
      clusters: [testCluster('c', { w: { hostClass: 'gold', size: 2 }, v: { hostClass: 'gold', size: 1 } })],
    });
    await claim('c');
    await claim('c', { nodeSet: 'v' });
  });

  it('takes all hosts from a cluster, and tells those who saw them', async () => {
    const released = await release('c');
    expect(released.hosts).toEqual(['h1', 'h2', 'h3']);
    expect(released.cluster.status?.nodeSets).toMatchObject({ w: { hosts: [], size: 0 }, v: { hosts: [] } });
    expect(await assignments()).toEqual({});
    const [change] = await store.database.query<{ tenants_before: string[]; tenants_after: string[] }>({
      text: "select tenants_before, tenants_after from changes where object_id = 'h1' order by seq desc limit 1",
    });
    expect(change).toEqual({ tenants_before: ['acme'], tenants_after: [] });
    expect(await release('c')).toMatchObject({ hosts: [] });
  });

  it('takes those of one node set, or those that are named, and passes over what the cluster does not have', async () => {
    expect(await release('c', { nodeSet: 'w', hosts: ['h1', 'h3', 'h4', 'nothing'] })).toMatchObject({ hosts: ['h1'] });
    expect(await release('c', { nodeSet: 'v' })).toMatchObject({ hosts: ['h3'] });
    expect(await assignments()).toEqual({ h2: 'c' });
    expect(await release('c', { hosts: ['h2', 'h4'] })).toMatchObject({ hosts: ['h2'] });
  });

  it('does nothing in a dry run', async () => {
    expect(await release('c', {}, true)).toMatchObject({ hosts: ['h1', 'h2', 'h3'] });
    expect(Object.keys(await assignments())).toHaveLength(3);
  });

  it('frees a host that says it belongs to the cluster although the cluster does not list it', async () => {
    await store.put({ hosts: [gold('lost', 'r', { status: { cluster: 'c' } })] });
    expect(await release('c')).toMatchObject({ hosts: ['h1', 'h2', 'h3', 'lost'] });
    expect(await assignments()).toEqual({});
  });
});
