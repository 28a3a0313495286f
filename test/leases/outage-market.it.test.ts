import { LeaseHealth } from '@quartermaster/api/cluster';
import { reservationType } from '@quartermaster/api/reservation';
import { tenantLeaseType } from '@quartermaster/api/tenant-lease';
import { type KubeObject, kinds } from '@quartermaster/kube';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { collectLeftovers } from './collect-leftovers.ts';
import { expectHeldEnd } from './held-end.ts';
import { nodeSpec, startSimulatedLeasedCluster } from './leased-cluster.ts';
import { limitMs, MarketLine, outageMs, pace, pass, patience, runMany, standing, untilAllRun, web } from './outage-sight.ts';
import { type Deployed, RunningLeases, uidsOf } from './running-leases.ts';
import { writtenOf } from './written-objects.ts';

const count = 10;

/** The provider as processes, with a market that cannot be reached or has forgotten something. The tests build on each other. */
describe(`leases while the market is away for three minutes, the provider's time ${pace} times as fast`, { timeout: limitMs }, () => {
  const line = new MarketLine();
  let site: RunningLeases;
  let all: readonly Deployed[];
  let cutAt: number;
  let before: readonly string[];

  beforeAll(async () => {
    const cluster = await startSimulatedLeasedCluster([nodeSpec('n-1', 1), nodeSpec('n-2', 2)]);
    site = await RunningLeases.start(cluster, { pace, marketThrough: line.through });
    all = await runMany(site, count);
    before = await standing(site);
  }, limitMs);

  afterAll(async () => {
    await site?.stop();
    await line.stop();
  });

  const at = (index: number): Deployed => all[index] as Deployed;
  const shown = async ({ order }: Deployed) => (await site.leases().getLease({ order })).lease;
  const problem = async () => (await site.bids().getBidStatus({})).market?.problem?.message ?? '';
  const untouched = (...touched: readonly Deployed[]) => all.filter((each) => !touched.includes(each));
  /** That the others have what they had. */
  async function expectSame(...touched: readonly Deployed[]): Promise<void> {
    const isTouched = (text: string): boolean => touched.some(({ namespace }) => text.split(' ').includes(namespace));
    expect(await standing(site, untouched(...touched))).toEqual(before.filter((each) => !isTouched(each)));
  }

  /** By hand, as a person with kubectl would. */
  async function deletePod(deployed: Deployed): Promise<readonly string[]> {
    const pods = await site.pods(deployed);
    for (const { metadata } of pods)
      await site.cluster.client.delete(kinds.pods, { namespace: deployed.namespace, name: metadata?.name ?? '' });
    return uidsOf(pods);
  }

  it('go on: a pod that was deleted is placed again, and its health is followed', async () => {
    expect(before).toHaveLength(3 * count);
    cutAt = performance.now();
    line.cut();
    await expect.poll(problem, patience).toContain('the market cannot be read');
    const old = await deletePod(at(0));
    await expect
      .poll(async () => {
        const { health, services = [] } = (await shown(at(0))) ?? {};
        const pods = services.flatMap((service) => service.pods).filter(({ uid }) => !old.includes(uid));
        return { health, ready: pods.map(({ ready, node }) => `${ready} ${node.slice(0, 2)}`) };
      }, patience)
      .toEqual({ health: LeaseHealth.HEALTHY, ready: ['true n-'] });
    await expectSame(at(0));
  });

  it('lose nothing by a restart of the provider, and a pod that waits for its place gets it', async () => {
    await site.endService();
    const old = await deletePod(at(1));
    const waiting = async () =>
      (await site.pods(at(1))).filter(
        ({ metadata, spec }) => !old.includes(metadata?.uid ?? '') && (spec?.schedulingGates ?? []).length > 0,
      );
    await expect.poll(async () => (await waiting()).length, patience).toBe(1);
    const [gated] = await waiting();
    await site.startService({ withMarket: false });
    await expect
      .poll(
        async () =>
          (await site.pods(at(1))).map(({ metadata, spec, status }) => [metadata?.uid, spec?.nodeName?.slice(0, 2), status?.phase]),
        patience,
      )
      .toEqual([[gated?.metadata?.uid, 'n-', 'Running']]);
    const { leases } = await site.leases().listLeases({ pageSize: 1000 });
    expect(leases.map(({ marketState }) => marketState)).toEqual(all.map(() => 'unknown'));
    await expect.poll(problem, patience).not.toBe('');
    await expectSame(at(0), at(1));
  });

  it('are closed by nothing but what the market says when it is back', async () => {
    await site.close(at(2));
    await pass(Math.max(0, outageMs - (performance.now() - cutAt)));
    const records = async () => (await site.cluster.client.list(tenantLeaseType)).items.map(({ status }) => status);
    expect((await records()).map((status) => [status?.state, status?.closingAt])).toEqual(all.map(() => ['Active', undefined]));
    // At this pace a busy cluster is not seen for moments.
    await untilAllRun(site, all);
    line.mend();
    await site.untilComplete(at(2));
    const rest = untouched(at(2));
    const states = async () => [...new Set(await Promise.all(rest.map(async (each) => (await shown(each))?.marketState)))];
    await expect.poll(states, patience).toEqual(['active']);
    await untilAllRun(site, rest);
    await expectSame(at(0), at(1), at(2));
    await site.run('later', web);
  });

  it('are shown as unknown where the market has forgotten them, and go on, also after a restart', async () => {
    const [lost, forgotten, unrecorded] = [at(3), at(4), at(5)];
    const database = site.market.market.database;
    const { client } = site.cluster;
    const forget = (table: string, id: string) =>
      database.query({ name: `test-forget-${table}`, text: `delete from ${table} where id = $1` }, [id]);
    const own = await standing(site, [lost, forgotten, unrecorded]);
    for (const each of [lost, unrecorded]) await forget('leases', `${each.id}-1-1-farm`);
    for (const table of ['leases', 'bids']) await forget(table, `${forgotten.id}-1-1-farm`);
    await forget('orders', `${forgotten.id}-1-1`);
    await forget('deployments', forgotten.id);
    const objects = own.filter((each) => !each.endsWith(' ACTIVE'));
    for (const restart of [false, true]) {
      if (restart) {
        await site.endService();
        // As if nobody had ever recorded it: what is left of it is seen by its namespace alone.
        for (const type of [tenantLeaseType, reservationType]) await client.delete<KubeObject>(type, { name: unrecorded.name });
        await site.startService();
      }
      // Another lease has the market read anew.
      await site.run(restart ? 'another' : 'other', web);
      for (const each of [lost, forgotten]) {
        await expect.poll(async () => (await shown(each))?.marketState, patience).toBe('unknown');
        // At this pace a busy cluster is not seen for moments.
        await expect.poll(async () => (await shown(each))?.health, patience).toBe(LeaseHealth.HEALTHY);
        await site.untilRunning(each);
      }
      expect(await standing(site, [lost, forgotten, unrecorded])).toEqual(objects);
    }
    expect((await site.removals().listRemovals({})).removals).toEqual([]);
    const written = await site.objectsOf(unrecorded);
    const leftovers = await collectLeftovers(site, { dryRun: false });
    expect(leftovers.map(({ object }) => object)).toEqual(expect.arrayContaining([`Namespace ${unrecorded.namespace}`]));
    for (const each of leftovers) expect(each).toMatchObject({ lease: unrecorded.name, reason: 'LeaseUnknown', fate: 'kept' });
    expect(writtenOf(await site.objectsOf(unrecorded))).toEqual(writtenOf(written));
    expect(await standing(site, [lost, forgotten, unrecorded])).toEqual(objects);
  });

  it('give nothing back at their end while something of theirs cannot be removed, say what it is, and go once it can', async () => {
    await expectHeldEnd(site, at(6), pace);
    await expectSame(at(0), at(1), at(2), at(3), at(4), at(5), at(6));
  });
});
