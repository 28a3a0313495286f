import { KubeClient, kinds, podExec } from '@quartermaster/kube';
import { loadScenario, type Play, playScenario, type Scenario } from '@quartermaster/simulator';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ControlPlane, startControlPlane } from '../kube/control-plane.ts';
import { createKubeletIdentity, type KubeletIdentity } from './kubelet-identity.ts';

/** Generous: everything runs on one small machine, beside other tests. */
const patience = { timeout: 110_000, interval: 200 };
const timeout = 120_000;

describe('the scenario gpu-farm on a real API server', { timeout }, () => {
  let identity: KubeletIdentity;
  let controlPlane: ControlPlane;
  let client: KubeClient;
  let play: Play;

  const start = async (scenario: Scenario): Promise<Play> =>
    await playScenario({ client, scenario, server: identity.server, ownControl: true });

  beforeAll(async () => {
    identity = await createKubeletIdentity();
    controlPlane = await startControlPlane({ controllers: false, scheduler: false, apiserverArgs: identity.flags });
    client = await KubeClient.connect({ kubeconfig: controlPlane.kubeconfig });
    const scenario = await loadScenario('gpu-farm');
    const timing = { ...scenario.timing, podStartMs: 0 };
    play = await start({ ...scenario, timing, churn: { everyMs: 200, workloads: 5, replicas: 2, gpuShare: 0.5 } });
  });

  afterAll(async () => {
    await play?.stop();
    await client?.close();
    await controlPlane?.stop();
    await identity?.remove();
  });

  const podsOf = async (app: string, phase: string): Promise<number> => {
    const { items } = await client.list(kinds.pods, { labelSelector: `app=${app}`, fieldSelector: `status.phase=${phase}` });
    return items.length;
  };

  it('has its nodes, with the GPUs of their models', async () => {
    const { items } = await client.list(kinds.nodes);
    const gpus = (resource: string): number => items.reduce((sum, { status }) => sum + Number(status?.capacity?.[resource] ?? 0), 0);
    expect([items.length, gpus('nvidia.com/gpu'), gpus('amd.com/gpu')]).toEqual([40, 184, 16]);
    expect(items.find(({ metadata }) => metadata?.name === 'storage-1')?.metadata?.labels).toMatchObject({
      'topology.quartermaster.dev/rack': 'rack-5',
    });
  });

  it('runs what its tenants have, each database on a volume of its own', async () => {
    await expect.poll(async () => await podsOf('trainer', 'Running'), patience).toBe(16);
    await expect.poll(async () => await podsOf('database', 'Running'), patience).toBe(8);
    await expect.poll(async () => await podsOf('web', 'Running'), patience).toBe(16);
    const volumes = (await client.list(kinds.persistentVolumes)).items;
    expect(volumes.map(({ spec, status }) => [spec?.csi?.driver, status?.phase])).toEqual(
      Array.from({ length: 8 }, () => ['rook-ceph.rbd.csi.ceph.com', 'Bound']),
    );
    const trainers = (await client.list(kinds.pods, { labelSelector: 'app=trainer' })).items;
    expect(trainers.filter(({ spec }) => spec?.nodeName?.startsWith('storage') === true)).toEqual([]);
  });

  it('puts a volume that waits for its first pod where that pod goes', async () => {
    const metadata = { namespace: 'tenant-1', name: 'scratch' };
    const resources = { requests: { storage: '1Gi' } };
    await client.create(kinds.persistentVolumeClaims, {
      metadata,
      spec: { accessModes: ['ReadWriteOnce'], storageClassName: 'local-path', resources },
    });
    const volumes = [{ name: 'data', persistentVolumeClaim: { claimName: 'scratch' } }];
    await client.create(kinds.pods, { metadata, spec: { containers: [{ name: 'main', image: 'registry.example/scratch' }], volumes } });
    await expect.poll(async () => (await client.get(kinds.pods, metadata)).status?.phase, patience).toBe('Running');
    const { volumeName = '' } = (await client.get(kinds.persistentVolumeClaims, metadata)).spec ?? {};
    const terms = (await client.get(kinds.persistentVolumes, { name: volumeName })).spec?.nodeAffinity?.required?.nodeSelectorTerms;
    expect(terms?.[0]?.matchExpressions?.[0]?.values).toEqual([(await client.get(kinds.pods, metadata)).spec?.nodeName]);
  });

  it('gives load balancers different addresses of its pools', async () => {
    const ingress = async (): Promise<readonly (string | undefined)[]> =>
      (await client.list(kinds.services, { labelSelector: 'app=gateway' })).items.map(
        ({ status }) => status?.loadBalancer?.ingress?.[0]?.ip,
      );
    await expect.poll(async () => (await ingress()).filter((ip) => ip !== undefined).length, patience).toBe(2);
    const addresses = await ingress();
    expect(new Set(addresses).size).toBe(2);
    for (const address of addresses) expect(address).toMatch(/^203\.0\.113\.|^198\.51\.100\./);
  });

  it('answers what its Ceph has left, through exec', async () => {
    await expect.poll(async () => await podsOf('rook-ceph-tools', 'Running'), patience).toBe(1);
    const [tools] = (await client.list(kinds.pods, { labelSelector: 'app=rook-ceph-tools' })).items;
    const pod = { namespace: 'rook-ceph', name: tools?.metadata?.name ?? '' };
    const { exitCode, stdout } = await podExec(client, pod, { command: ['ceph', 'df', '--format', 'json'] });
    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ pools: [{ name: 'nvme', stats: { max_avail: 160_000 * 2 ** 30 } }, { name: 'archive' }] });
  });

  it('changes as its tenants do', async () => {
    const churned = async (): Promise<string[]> =>
      (await client.list(kinds.deployments)).items.flatMap(({ metadata }) =>
        metadata?.name?.startsWith('churn-') === true ? [metadata.name] : [],
      );
    await expect.poll(async () => (await churned()).length, patience).toBeGreaterThan(2);
  });

  it('is taken up again by another process without starting anything anew', async () => {
    await play.stop();
    const before = (await client.list(kinds.pods, { labelSelector: 'app in (trainer, database, web)' })).items;
    const { churn: _, ...scenario } = await loadScenario('gpu-farm');
    play = await start(scenario);
    await client.create(kinds.pods, {
      metadata: { namespace: 'tenant-1', name: 'late' },
      spec: { containers: [{ name: 'main', image: 'registry.example/late' }] },
    });
    await expect
      .poll(async () => (await client.get(kinds.pods, { namespace: 'tenant-1', name: 'late' })).status?.phase, patience)
      .toBe('Running');
    const after = (await client.list(kinds.pods, { labelSelector: 'app in (trainer, database, web)' })).items;
    expect(after.map(({ metadata, status }) => [metadata?.uid, status?.containerStatuses?.[0]?.restartCount])).toEqual(
      before.map(({ metadata }) => [metadata?.uid, 0]),
    );
  });
});
