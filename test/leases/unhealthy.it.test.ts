import { LeaseHealth } from '@quartermaster/api/cluster';
import { LeaseEnd, LeaseState, Leases } from '@quartermaster/api/market';
import { kinds } from '@quartermaster/kube';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { leaseSdl } from './lease-sdl.ts';
import { nodeSpec, startSimulatedLeasedCluster } from './leased-cluster.ts';
import { marketLeases, pass, patience, runMany, untilAllRun } from './outage-sight.ts';
import { type Deployed, RunningLeases } from './running-leases.ts';

/** Of all that are unhealthy, so many may be closed within a second. */
const max = 4;
const deadlines = ['--lease-unhealthy-timeout=6s', '--manifest-timeout=10s'];
const fuse = [`--lease-removal-max=${max}`, '--lease-removal-share=0', '--lease-removal-window=1s'];

/** Leases that cannot run, on one node. The tests build on each other: deadlines begin once everything was seen that they would end. */
describe('leases that are unhealthy', { timeout: 120_000 }, () => {
  let site: RunningLeases;
  const doomed: { readonly deployed: Deployed; readonly why: RegExp }[] = [];

  beforeAll(async () => {
    const cluster = await startSimulatedLeasedCluster([nodeSpec('n-1', 1, 'small')]);
    site = await RunningLeases.start(cluster, { args: ['--lease-unhealthy-timeout=24h', '--blocked-hostnames=blocked.example'] });
  });

  afterAll(() => site?.stop());

  /** As the tenant sees it. */
  const leaseOf = async ({ owner, id }: Deployed) => {
    const { object } = await site.market
      .tenant(owner)
      .client(Leases)
      .get({ id: `${id}-1-1-farm` });
    return object?.status;
  };
  const codesOf = async ({ order }: Deployed) => {
    const { health, services = [] } = (await site.leases().getLease({ order })).lease ?? {};
    return { health, codes: [...new Set(services.flatMap(({ problems }) => problems.map(({ code }) => code)))] };
  };
  async function restart(...args: readonly string[]): Promise<void> {
    await site.endService();
    await site.startService({ args });
  }

  it('tell the tenant that an image cannot be pulled', async () => {
    const deployed = await site.deploy('pull', leaseSdl({ web: { image: 'nowhere.invalid/shop:1' } }));
    const why = /^unhealthy for lease-unhealthy-timeout \(6 s\): web: The image nowhere\.invalid\/shop:1 cannot be pulled/;
    doomed.push({ deployed, why });
    const delivery = { state: 'Active', reason: 'Unhealthy', health: 'unhealthy', message: expect.stringContaining('cannot be pulled') };
    const problems = [expect.stringMatching(/nowhere\.invalid\/shop:1 cannot be pulled.*update the deployment/)];
    await expect
      .poll(async () => (await leaseOf(deployed))?.delivery, patience)
      .toMatchObject({ ...delivery, services: [{ name: 'web', available: 0, problems }] });
    await expect.poll(() => codesOf(deployed), patience).toEqual({ health: LeaseHealth.UNHEALTHY, codes: ['ImagePullFailed'] });
  });

  it('tell a container that ends again and again apart from that', async () => {
    const deployed = await site.deploy('crash', leaseSdl({ web: { image: 'simulator.quartermaster.dev/crash:7' } }));
    doomed.push({ deployed, why: /keeps exiting/ });
    await expect.poll(() => codesOf(deployed), patience).toEqual({ health: LeaseHealth.UNHEALTHY, codes: ['CrashLoop'] });
    await expect.poll(async () => (await leaseOf(deployed))?.delivery?.message, patience).toContain('exit code 7');
  });

  it('tell what is wrong with a manifest that cannot run', async () => {
    const deployed = await site.deploy('refused', leaseSdl({ web: { hosts: ['blocked.example'] } }));
    const why = /^no manifest came within manifest-timeout \(10 s\); the last one was refused: .*blocked\.example/;
    doomed.push({ deployed, why });
    await expect.poll(async () => (await leaseOf(deployed))?.delivery?.refusal, patience).toContain('blocked.example');
  });

  it('are closed past their deadline, each with its reason', async () => {
    await restart(...deadlines);
    const leases = async () => await Promise.all(doomed.map(({ deployed }) => leaseOf(deployed)));
    const closed = { state: LeaseState.CLOSED, endedBy: LeaseEnd.PROVIDER };
    await expect.poll(leases, patience).toMatchObject(doomed.map(({ why }) => ({ ...closed, closedReason: expect.stringMatching(why) })));
    // Their groups are ordered anew: nobody wants that here.
    for (const { deployed } of doomed) await site.close(deployed);
    for (const { deployed, why } of doomed) {
      await site.untilComplete(deployed);
      expect((await site.statusOf(deployed))?.closedReason).toMatch(why);
      expect(await site.pods(deployed)).toEqual([]);
    }
  });

  it('wait for a person where many are so at once, and are closed by nobody when they are well again', async () => {
    await restart();
    const all = await runMany(site, max + 2);
    // Of the node, all that is left.
    const hog = { namespace: 'default', name: 'hog' };
    const resources = { requests: { cpu: '31500m' } };
    await site.cluster.client.create(kinds.pods, {
      metadata: hog,
      spec: { nodeName: 'n-1', containers: [{ name: 'hog', image: 'hog:1', resources }] },
    });
    for (const deployed of all)
      for (const { metadata } of await site.pods(deployed))
        await site.cluster.client.delete(kinds.pods, { namespace: deployed.namespace, name: metadata?.name ?? '' });
    const codes = async () => await Promise.all(all.map(async (each) => (await codesOf(each)).codes.join()));
    await expect.poll(codes, patience).toEqual(all.map(() => 'Unschedulable'));
    await expect.poll(async () => (await leaseOf(all[0] as Deployed))?.delivery?.message, patience).toContain('It does not fit on');
    // Seen to be so all at once, they are late at once.
    await restart(...deadlines, ...fuse);
    const removals = async () => (await site.removals().listRemovals({})).removals;
    await expect
      .poll(removals, patience)
      .toMatchObject([{ what: 'leases that exceeded a deadline', names: expect.arrayContaining(all.map(({ name }) => name)) }]);
    const [{ id } = { id: '' }] = await removals();
    const complaints = async () => (await site.complaints()).join('\n');
    await expect.poll(complaints, patience).toContain(`quartermaster removals approve ${id} --role cluster`);
    const active = async () => (await marketLeases(site)).filter(({ state }) => state === LeaseState.ACTIVE).length;
    await pass(2_000);
    expect(await active()).toBe(all.length);
    await site.cluster.client.delete(kinds.pods, hog, { gracePeriodSeconds: 0 });
    await untilAllRun(site, all);
    await expect.poll(removals, patience).toEqual([]);
    expect(await active()).toBe(all.length);
  });
});
