import { KubeClient, keyText, kinds, podExec, podLog, refOf } from '@quartermaster/kube';
import { behaviourPrefix, type KubeletServerOptions, NodePool } from '@quartermaster/simulator';
import type { Pod } from 'kubernetes-types/core/v1.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { KubectlResult } from '../kube/kubectl.ts';
import { statusOf } from '../kube/loopback.ts';
import {
  agentImage,
  agentImages,
  deployment,
  endpointSlices,
  gpuPod,
  isReady,
  namespace,
  nodeCount,
  nodeSpecs,
  nodesOf,
  scheduledCondition,
  statefulSet,
  volume,
} from './cluster-fixtures.ts';

/** A control plane whose scheduler and controllers are somebody's, the real ones or ours. */
export interface ClusterUnderTest {
  readonly kubeconfig: string;
  readonly kubelet: KubeletServerOptions;
  kubectl(args: readonly string[], input?: string): Promise<KubectlResult>;
  stop(): Promise<void>;
}

/** Generous: everything runs on one small machine, beside other tests. */
const patience = { timeout: 110_000, interval: 100 };
const timeout = 120_000;
/** The same simulated nodes and the same expectations, whoever schedules and controls. */
export function describeSimulatedCluster(name: string, start: () => Promise<ClusterUnderTest>): void {
  describe(`simulated nodes under ${name}`, { timeout }, () => {
    let cluster: ClusterUnderTest;
    let client: KubeClient;
    let pool: NodePool;

    beforeAll(async () => {
      cluster = await start();
      client = await KubeClient.connect({ kubeconfig: cluster.kubeconfig });
      pool = await NodePool.start({
        client,
        nodes: nodeSpecs,
        images: agentImages(),
        server: cluster.kubelet,
        leaseEveryMs: 1_000,
        podStartMs: 50,
        restartBackoff: { firstMs: 50, maxMs: 500, factor: 2 },
      });
    });

    afterAll(async () => {
      await pool?.stop();
      await client?.close();
      await cluster?.stop();
    });

    const podsOf = async (app: string): Promise<readonly Pod[]> =>
      (await client.list(kinds.pods, { namespace, labelSelector: `app=${app}` })).items;
    const running = async (app: string): Promise<readonly Pod[]> => (await podsOf(app)).filter(isReady);
    const kubectl = async (args: readonly string[], input?: string): Promise<string> => {
      const { exitCode, stdout, stderr } = await cluster.kubectl(args, input);
      expect(stderr).toBe('');
      expect(exitCode).toBe(0);
      return stdout;
    };

    it('has twenty Ready nodes with eight GPUs each', async () => {
      await expect
        .poll(async () => (await client.list(kinds.nodes)).items.filter(({ spec }) => (spec?.taints ?? []).length === 0).length, patience)
        .toBe(nodeCount);
      const { items } = await client.list(kinds.nodes);
      expect(items.map(({ status }) => status?.allocatable?.['nvidia.com/gpu'])).toEqual(Array.from({ length: nodeCount }, () => '8'));
      expect(new Set(items.map(({ status }) => status?.addresses?.[0]?.address)).size).toBe(nodeCount);
      const leases = await client.list(kinds.leases, { namespace: 'kube-node-lease' });
      expect(leases.items.map(({ metadata }) => metadata?.name)).toEqual(items.map(({ metadata }) => metadata?.name));
    });

    it('rolls out a Deployment of 100 pods with a GPU each, never more than eight on a node', async () => {
      await client.create(kinds.deployments, deployment('training', 100, { gpus: 1 }));
      await expect.poll(async () => (await running('training')).length, patience).toBe(100);
      await expect
        .poll(async () => (await client.get(kinds.deployments, { namespace, name: 'training' })).status, patience)
        .toMatchObject({ replicas: 100, updatedReplicas: 100, readyReplicas: 100, availableReplicas: 100 });
      const pods = await running('training');
      const perNode = Map.groupBy(pods, ({ spec }) => spec?.nodeName ?? '');
      expect(Math.max(...[...perNode.values()].map(({ length }) => length))).toBeLessThanOrEqual(8);
      expect(new Set(pods.map(({ status }) => status?.podIP)).size).toBe(100);
      expect(await kubectl(['rollout', 'status', 'deployment/training', '--timeout=30s'])).toContain('successfully rolled out');
    });

    it('leaves a pod pending that asks for more GPUs than any node has, and says why', async () => {
      await client.create(kinds.pods, gpuPod('greedy', 9));
      await expect
        .poll(async () => scheduledCondition(await client.get(kinds.pods, { namespace, name: 'greedy' })), patience)
        .toMatchObject({
          status: 'False',
          reason: 'Unschedulable',
          message: expect.stringMatching(/^0\/20 nodes are available: .*20 Insufficient nvidia\.com\/gpu/),
        });
      await client.delete(kinds.pods, { namespace, name: 'greedy' });
    });

    it('rolls an update through, and scales down', async () => {
      await client.create(kinds.deployments, deployment('web', 10, {}));
      await expect.poll(async () => (await running('web')).length, patience).toBe(10);
      await kubectl(['set', 'image', 'deployment/web', 'main=registry.invalid/web:2']);
      expect(await kubectl(['rollout', 'status', 'deployment/web', '--timeout=60s'])).toContain('successfully rolled out');
      await expect
        .poll(async () => (await podsOf('web')).map(({ spec }) => spec?.containers[0]?.image), patience)
        .toEqual(Array.from({ length: 10 }, () => 'registry.invalid/web:2'));
      await client.setScale(kinds.deployments, { namespace, name: 'web' }, 3);
      await expect.poll(async () => (await podsOf('web')).length, patience).toBe(3);
    });

    it('answers logs through the API server', async () => {
      const pod = gpuPod('talker', 0, { [`${behaviourPrefix}log`]: 'first\nsecond\nthird' });
      await client.create(kinds.pods, pod);
      await expect.poll(async () => isReady(await client.get(kinds.pods, refOf(pod))), patience).toBe(true);
      const lines: string[] = [];
      for await (const line of podLog(client, refOf(pod), { tailLines: 2 })) lines.push(line);
      expect(lines).toEqual(['second', 'third']);
      expect(await kubectl(['logs', 'talker', '--tail=1'])).toBe('third\n');
      expect(await kubectl(['logs', 'talker', '--timestamps', '--tail=1'])).toMatch(/^\d{4}-\d\d-\d\dT\S+Z third\n$/);
    });

    it('follows the log of a container until it ends', async () => {
      const pod = gpuPod('counter', 0, {}, { image: `${agentImage}:1`, args: ['count', '5'] });
      await client.create(kinds.pods, { ...pod, spec: { ...pod.spec, containers: pod.spec?.containers ?? [], restartPolicy: 'Never' } });
      await expect.poll(async () => (await client.get(kinds.pods, refOf(pod))).status?.phase, patience).toMatch(/Running|Succeeded/);
      expect(await kubectl(['logs', '--follow', 'counter'])).toBe('1\n2\n3\n4\n5\n');
      await expect.poll(async () => (await client.get(kinds.pods, refOf(pod))).status?.phase, patience).toBe('Succeeded');
    });

    it('runs commands in containers, with their output, input and exit codes', async () => {
      const pod = { namespace, name: 'talker' };
      const result = await podExec(client, pod, { command: ['cat', '/proc/driver/nvidia/gpus/0000:10:00.0/information'] });
      expect(result).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('NVIDIA H100') });
      expect(await podExec(client, pod, { command: ['sh', '-c', 'echo out; nonsense; exit 3'] })).toMatchObject({
        exitCode: 3,
        stdout: 'out\n',
        stderr: expect.stringContaining('nonsense: not found'),
      });
      expect(await kubectl(['exec', 'talker', '--', 'hostname'])).toBe('talker\n');
      expect(await kubectl(['exec', '--stdin', 'talker', '--', 'cat'], 'through the stream')).toBe('through the stream');
      expect((await cluster.kubectl(['exec', 'talker', '--', 'false'])).exitCode).toBe(1);
      expect((await cluster.kubectl(['exec', 'talker', '--container=other', '--', 'true'])).stderr).toContain('container');
    });

    it('restarts a container that ends, with a growing wait, and counts it', async () => {
      const pod = gpuPod('crasher', 0, {}, { image: 'registry.invalid/broken:crash' });
      await client.create(kinds.pods, pod);
      await expect
        .poll(async () => (await client.get(kinds.pods, refOf(pod))).status?.containerStatuses?.[0]?.restartCount ?? 0, patience)
        .toBeGreaterThan(1);
      const status = (await client.get(kinds.pods, refOf(pod))).status;
      expect(status?.phase).toBe('Running');
      expect(status?.containerStatuses?.[0]?.lastState?.terminated?.exitCode).toBe(1);
      await client.delete(kinds.pods, refOf(pod));
      await expect.poll(async () => await client.find(kinds.pods, refOf(pod)), patience).toBeUndefined();
    });

    it('crashes a pod on demand, which then starts again', async () => {
      const [pod] = await running('web');
      if (pod === undefined) throw new Error('there is no pod to crash');
      await pool.failPod(refOf(pod), 42);
      await expect
        .poll(async () => (await client.get(kinds.pods, refOf(pod))).status?.containerStatuses?.[0], patience)
        .toMatchObject({ restartCount: 1, ready: true, lastState: { terminated: { exitCode: 42 } } });
    });

    it('lets nobody in at the kubelet who is not the API server', async () => {
      const { status } = await client.get(kinds.nodes, { name: 'gpu-5' });
      const port = status?.daemonEndpoints?.kubeletEndpoint?.Port;
      const answer = await statusOf(`https://127.0.0.1:${port}/pods`, { authority: cluster.kubelet.clientAuthority ?? '' });
      expect(answer).toBeUndefined();
    });

    it('ends a Job when its pods have', async () => {
      await client.create(kinds.jobs, {
        metadata: { namespace, name: 'batch' },
        spec: {
          completions: 4,
          parallelism: 2,
          template: {
            metadata: { labels: { app: 'batch' }, annotations: { [`${behaviourPrefix}run-for-ms`]: '100' } },
            spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'registry.invalid/batch' }] },
          },
        },
      });
      await expect
        .poll(async () => (await client.get(kinds.jobs, { namespace, name: 'batch' })).status, patience)
        .toMatchObject({
          succeeded: 4,
          conditions: expect.arrayContaining([expect.objectContaining({ type: 'Complete', status: 'True' })]),
        });
    });

    it('numbers the pods of a StatefulSet and gives each its volume', async () => {
      await client.create(kinds.storageClasses, { metadata: { name: 'manual' }, provisioner: 'kubernetes.io/no-provisioner' });
      for (const disk of ['disk-a', 'disk-b']) await client.create(kinds.persistentVolumes, volume(disk));
      await client.create(kinds.statefulSets, statefulSet('store', 2));
      await expect
        .poll(async () => (await running('store')).map(({ metadata }) => metadata?.name), patience)
        .toEqual(['store-0', 'store-1']);
      const claims = (await client.list(kinds.persistentVolumeClaims, { namespace })).items;
      expect(claims.map(({ metadata, status }) => [metadata?.name, status?.phase])).toEqual([
        ['data-store-0', 'Bound'],
        ['data-store-1', 'Bound'],
      ]);
      expect(new Set(claims.map(({ spec }) => spec?.volumeName))).toEqual(new Set(['disk-a', 'disk-b']));
      await client.setScale(kinds.statefulSets, { namespace, name: 'store' }, 1);
      await expect.poll(async () => (await podsOf('store')).map(({ metadata }) => metadata?.name), patience).toEqual(['store-0']);
    });

    it('runs one pod of a DaemonSet on every node that its selector names', async () => {
      for (const node of ['gpu-2', 'gpu-3', 'gpu-4']) await kubectl(['label', 'node', node, 'pool=special']);
      const labels = { app: 'daemon' };
      const spec = { containers: [{ name: 'main', image: 'registry.invalid/daemon' }], nodeSelector: { pool: 'special' } };
      await client.create(kinds.daemonSets, {
        metadata: { namespace, name: 'daemon' },
        spec: { selector: { matchLabels: labels }, template: { metadata: { labels }, spec } },
      });
      await expect.poll(async () => nodesOf(await running('daemon')), patience).toEqual(['gpu-2', 'gpu-3', 'gpu-4']);
      await kubectl(['label', 'node', 'gpu-4', 'pool-']);
      await expect.poll(async () => nodesOf(await podsOf('daemon')), patience).toEqual(['gpu-2', 'gpu-3']);
      await expect
        .poll(async () => (await client.get(kinds.daemonSets, { namespace, name: 'daemon' })).status, patience)
        .toMatchObject({ desiredNumberScheduled: 2, numberReady: 2 });
    });

    it('gives a Service an address and the endpoints of its ready pods', async () => {
      await kubectl(['expose', 'deployment', 'web', '--port=80', '--target-port=8080', '--type=NodePort']);
      const ready = new Set((await running('web')).map(({ status }) => status?.podIP));
      await expect
        .poll(async () => {
          const slices = await client.list(endpointSlices, { namespace, labelSelector: 'kubernetes.io/service-name=web' });
          return new Set(
            slices.items.flatMap(({ endpoints }) =>
              endpoints.flatMap(({ addresses, conditions }) => (conditions?.ready === true ? addresses : [])),
            ),
          );
        }, patience)
        .toEqual(ready);
      const service = await client.get(kinds.services, { namespace, name: 'web' });
      expect(service.spec?.clusterIP).toMatch(/^10\.96\./);
      expect(service.spec?.ports?.[0]?.nodePort).toBeGreaterThanOrEqual(30_000);
    });

    it('takes a lost GPU out of what the node can give away', async () => {
      await pool.loseGpus('gpu-1', 2);
      const { status } = await client.get(kinds.nodes, { name: 'gpu-1' });
      expect([status?.capacity?.['nvidia.com/gpu'], status?.allocatable?.['nvidia.com/gpu']]).toEqual(['8', '6']);
      await pool.restoreGpus('gpu-1');
      expect((await client.get(kinds.nodes, { name: 'gpu-1' })).status?.allocatable?.['nvidia.com/gpu']).toBe('8');
    });

    it('moves the pods of a node that dies, and takes the node back', async () => {
      const before = (await running('training')).filter(({ spec }) => spec?.nodeName === 'gpu-0').map((pod) => keyText(refOf(pod)));
      expect(before.length).toBeGreaterThan(0);
      pool.loseNode('gpu-0');
      await expect
        .poll(
          async () =>
            (await running('training')).filter(
              ({ spec, metadata }) => spec?.nodeName !== 'gpu-0' && metadata?.deletionTimestamp === undefined,
            ).length,
          patience,
        )
        .toBe(100);
      const dead = await client.get(kinds.nodes, { name: 'gpu-0' });
      expect(dead.status?.conditions?.find(({ type }) => type === 'Ready')?.status).toBe('Unknown');

      await pool.restoreNode('gpu-0');
      await expect.poll(async () => (await podsOf('training')).filter((pod) => before.includes(keyText(refOf(pod)))), patience).toEqual([]);
      await expect.poll(async () => (await client.get(kinds.nodes, { name: 'gpu-0' })).spec?.taints ?? [], patience).toEqual([]);
    });
  });
}
