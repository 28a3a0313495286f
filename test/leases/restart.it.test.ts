import { reservationType } from '@quartermaster/api/reservation';
import { kinds } from '@quartermaster/kube';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { AskedFor } from '../deploy/granted-rights.ts';
import { patience } from '../inventory/operator-cluster.ts';
import { untilAtRest, writtenFor } from './at-rest.ts';
import { leaseSdl } from './lease-sdl.ts';
import { nodeSpec, startRealLeasedCluster } from './leased-cluster.ts';
import { pass } from './outage-sight.ts';
import { type Deployed, RunningLeases } from './running-leases.ts';

/** Of several waits, each of which says what did not come about. */
const timeout = 600_000;
/** By which the cluster service leads. */
const election = { namespace: 'kube-system', name: 'quartermaster-cluster' };
const env = ['API_TOKEN=x', 'MODE=y'];

/**
 * Every write of a service that takes over, by the log of the real API server. Its time passes as it does elsewhere: neither does a busy machine make it lose its term, which
 * would mark reservations once more, nor is a quiet watch taken for dead, of which records would tell.
 */
describe('leases whose service was killed and starts again, on the real API server', { timeout }, () => {
  let site: RunningLeases;
  let all: readonly Deployed[];

  beforeAll(async () => {
    site = await RunningLeases.start(await startRealLeasedCluster([nodeSpec('n-1', 1), nodeSpec('n-2', 2)]), { pace: 1 });
    all = await Promise.all([
      site.run('jan', leaseSdl({ web: { count: 2, env }, db: { data: '1Gi' } })),
      site.run('kim', leaseSdl({ web: { env, hosts: ['kim.example.org'] } })),
    ]);
  }, timeout);

  afterAll(() => site?.stop());

  // What is not read yet looks like a cluster that cannot be seen.
  it.each([
    ['nodes', /^\/api\/v1\/nodes\?/],
    ['namespaces', /^\/api\/v1\/namespaces\?/],
  ])('are written to by nothing but one mark of each reservation, also where it reads %s late', async (_what, late) => {
    const { client, startProxy, serviceIdentity, serviceWrites } = site.cluster;
    const before = await untilAtRest(site, all);
    await site.endService();
    // As if it had given it back: the next one need not wait until it runs out.
    await client.patch(kinds.leases, election, { kind: 'merge', body: { spec: { holderIdentity: '' } } });
    const proxy = await startProxy?.();
    onTestFinished(() => proxy?.stop());
    const release = proxy?.hold(late);
    const { kubeconfig = '', credential } = (await serviceIdentity?.(proxy?.url)) ?? {};
    await site.startService({ kubeconfig });
    expect(proxy?.hasSeen(late)).toBe(true);
    await pass(2_000);
    release?.();
    const shown = async ({ order }: Deployed) => (await site.leases().getLease({ order })).lease;
    for (const each of all)
      await expect.poll(() => shown(each), patience).toMatchObject({ namespace: each.namespace, marketState: 'active', reason: 'Running' });
    expect(await writtenFor(site, all)).toEqual(before);
    // Once it mends something of each, it has attended to each.
    const lost = all.map(({ namespace }) => ({ namespace, name: 'web-env' }));
    for (const each of lost) await client.delete(kinds.configMaps, each);
    for (const each of lost) await expect.poll(() => client.find(kinds.configMaps, each), patience).toBeDefined();

    const isElection = ({ resource, namespace, name }: AskedFor): boolean =>
      resource === 'leases' && namespace === election.namespace && name === election.name;
    const own = async () => ((await serviceWrites?.()) ?? []).filter((each) => each.credential === credential && !isElection(each));
    const reserved = (await client.list(reservationType)).items;
    const term = reserved[0]?.spec.term;
    const textOf = ({ verb, resource, namespace = '', name }: Pick<AskedFor, 'verb' | 'resource' | 'namespace' | 'name'>): string =>
      `${verb} ${resource} ${namespace}/${name}`;
    const marks = reserved.map(({ metadata }) => `patch reservations /${metadata?.name}`);
    const mended = lost.map(({ namespace, name }) => `patch configmaps ${namespace}/${name}`);
    // A request is logged after it was answered.
    await expect.poll(async () => (await own()).map(textOf), patience).toEqual(expect.arrayContaining(mended));
    const writes = await own();
    expect(writes.map(textOf).sort()).toEqual([...marks, ...mended].sort());
    for (const { body } of writes.filter(({ resource }) => resource === 'reservations'))
      expect(body).toEqual({ metadata: { resourceVersion: expect.any(String) }, spec: { term } });
  });
});
