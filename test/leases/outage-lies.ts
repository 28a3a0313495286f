import { hostnameClaimType } from '@quartermaster/api/hostname-claim';
import { providerHostType } from '@quartermaster/api/provider-host';
import { kinds, type ResourceType } from '@quartermaster/kube';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { leaseSdl } from './lease-sdl.ts';
import { nodeSpec, startSimulatedLeasedCluster } from './leased-cluster.ts';
import { type Lie, LyingServer } from './outage-lying-server.ts';
import { pass, patience, runMany, standing, untilAllRun, web } from './outage-sight.ts';
import { type Deployed, RunningLeases } from './running-leases.ts';

const count = 10;
const pace = 5;
/** Forty seconds of the provider's, in which it looks 80 times for leases that are to end. */
const lieMs = 8_000;
/** Half of that: leases that were taken for sick, or for new ones, because of a lie would be closed before it ends. */
const deadlines = ['--lease-unhealthy-timeout=20s', '--manifest-timeout=20s'];
/** Fewer than all leases. */
const fuse = ['--lease-removal-max=4', '--lease-removal-share=0'];
const withData = leaseSdl({ web: {}, db: { data: '1Gi' } });
const kept = [kinds.persistentVolumeClaims, kinds.statefulSets, hostnameClaimType, providerHostType] as unknown as readonly ResourceType[];

/** The cluster service as a process, whose API server says that there is nothing. */
export function describeLyingServer(): void {
  describe(`${count} leases whose API server does not tell the truth, the provider's time ${pace} times as fast`, {
    timeout: 120_000,
  }, () => {
    let server: LyingServer;
    let site: RunningLeases;
    let all: readonly Deployed[];
    let before: readonly string[];

    beforeAll(async () => {
      const cluster = await startSimulatedLeasedCluster([nodeSpec('n-1', 1), nodeSpec('n-2', 2)]);
      server = await LyingServer.start(cluster.kubeconfig);
      site = await RunningLeases.start({ ...cluster, serviceKubeconfig: server.kubeconfig }, { pace });
      all = await runMany(site, count, 'tenant', withData);
      // Many at once may start slower than the deadlines allow.
      await site.endService();
      await site.startService({ args: [...deadlines, ...fuse] });
      await untilAllRun(site, all);
      before = await everything();
    });

    afterAll(async () => {
      await site?.stop();
      await server?.stop();
    });

    const namesOf = async (type: ResourceType) =>
      (await site.cluster.client.list(type)).items.map(({ metadata }) => `${type.kind} ${metadata?.name} ${metadata?.uid}`);
    const everything = async () => [...(await standing(site)), ...(await Promise.all(kept.map(namesOf))).flat().toSorted()];
    const overdue = async () => (await site.removals().listRemovals({})).removals.map(({ what, names }) => `${names.length} ${what}`);

    const lies: readonly (readonly [string, Lie])[] = [
      ['tenantleases', 'empty'],
      ['tenantleases', 'missing'],
      ['namespaces', 'empty'],
      ['pods', 'empty'],
      ['deployments', 'empty'],
      ['manifests', 'empty'],
      ['manifests', 'missing'],
      ['reservations', 'empty'],
      ['hostnameclaims', 'empty'],
      ['providerhosts', 'empty'],
      ['persistentvolumeclaims', 'empty'],
      ['statefulsets', 'empty'],
    ];
    it.each(lies)('go on as they are while %s are said to be %s', async (resource, lie) => {
      expect(before.length).toBeGreaterThan(8 * count);
      server.lie(resource, lie);
      await expect.poll(() => server.told, patience).toBeGreaterThan(0);
      await pass(lieMs);
      expect(await everything()).toEqual(before);
      expect(await overdue()).toEqual([]);
      server.tellTheTruth();
      await untilAllRun(site, all);
      await expect.poll(overdue, patience).toEqual([]);
      await expect.poll(async () => (await site.leases().listLeases({ pageSize: 1000 })).leases.length, patience).toBe(count);
      expect(await everything()).toEqual(before);
    });

    it('make room for others as before', async () => {
      await site.run('later', web);
      expect((await everything()).filter((each) => before.includes(each))).toEqual(before);
    });
  });
}
