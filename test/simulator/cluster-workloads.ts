import { kinds, refOf } from '@quartermaster/kube';
import { describe, expect, it } from 'vitest';
import { deployment, gpuPod, isReady, namespace, nodeCount, nodesOf, scheduledCondition, statefulSet, volume } from './cluster-fixtures.ts';
import { patience, type SimulatedNodes } from './simulated-nodes.ts';

/** Nodes and what controllers and the scheduler run on them. */
export function describeWorkloads(nodes: () => SimulatedNodes): void {
  describe('workloads', () => {
    it('has twenty Ready nodes with eight GPUs each', async () => {
      await expect
        .poll(
          async () => (await nodes().client.list(kinds.nodes)).items.filter(({ spec }) => (spec?.taints ?? []).length === 0).length,
          patience,
        )
        .toBe(nodeCount);
      const { items } = await nodes().client.list(kinds.nodes);
      expect(items.map(({ status }) => status?.allocatable?.['nvidia.com/gpu'])).toEqual(Array.from({ length: nodeCount }, () => '8'));
      expect(new Set(items.map(({ status }) => status?.addresses?.[0]?.address)).size).toBe(nodeCount);
      const leases = async () => (await nodes().client.list(kinds.leases, { namespace: 'kube-node-lease' })).items;
      await expect
        .poll(async () => (await leases()).map(({ metadata }) => metadata?.name), patience)
        .toEqual(items.map(({ metadata }) => metadata?.name));
    });

    it('rolls out a Deployment of 100 pods with a GPU each, never more than eight on a node', async () => {
      await nodes().client.create(kinds.deployments, deployment('training', 100, { gpus: 1 }));
      await expect.poll(async () => (await nodes().running('training')).length, patience).toBe(100);
      await expect
        .poll(async () => (await nodes().client.get(kinds.deployments, { namespace, name: 'training' })).status, patience)
        .toMatchObject({ replicas: 100, updatedReplicas: 100, readyReplicas: 100, availableReplicas: 100 });
      const pods = await nodes().running('training');
      const perNode = Map.groupBy(pods, ({ spec }) => spec?.nodeName ?? '');
      expect(Math.max(...[...perNode.values()].map(({ length }) => length))).toBeLessThanOrEqual(8);
      expect(new Set(pods.map(({ status }) => status?.podIP)).size).toBe(100);
      expect(await nodes().kubectl(['rollout', 'status', 'deployment/training', '--timeout=30s'])).toContain('successfully rolled out');
    });

    it('leaves a pod pending that asks for more GPUs than any node has, and says why', async () => {
      await nodes().client.create(kinds.pods, gpuPod('greedy', 9));
      await expect
        .poll(async () => scheduledCondition(await nodes().client.get(kinds.pods, { namespace, name: 'greedy' })), patience)
        .toMatchObject({
          status: 'False',
          reason: 'Unschedulable',
          message: expect.stringMatching(/^0\/20 nodes are available: .*20 Insufficient nvidia\.com\/gpu/),
        });
      await nodes().client.delete(kinds.pods, { namespace, name: 'greedy' });
    });

    it('puts a gated pod on the node that it is given when its gate is lifted, once there is room', async () => {
      const { client } = nodes();
      const on = (name: string) => ({ matchFields: [{ key: 'metadata.name', operator: 'In', values: [name] }] });
      const required = (term: object) => ({
        nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [term] } },
      });
      // More than half of a node, beside which the pods of other tests fit.
      const large = (name: string) => gpuPod(name, 0, {}, { resources: { requests: { cpu: '200' } } });
      const blocker = large('blocker');
      const spec = { containers: [], ...blocker.spec };
      await client.create(kinds.pods, { ...blocker, spec: { ...spec, affinity: required(on('gpu-7')) } });
      await expect.poll(async () => (await client.get(kinds.pods, refOf(blocker))).spec?.nodeName, patience).toBe('gpu-7');
      const anyNode = { matchExpressions: [{ key: 'kubernetes.io/hostname', operator: 'Exists' }] };
      const gated = {
        ...large('gated'),
        spec: { ...spec, schedulingGates: [{ name: 'quartermaster.dev/placement' }], affinity: required(anyNode) },
      };
      const { metadata } = await client.create(kinds.pods, gated);
      const path = '/spec/affinity/nodeAffinity/requiredDuringSchedulingIgnoredDuringExecution/nodeSelectorTerms/0/matchFields';
      const given = await client.patch(kinds.pods, refOf(gated), {
        kind: 'json',
        operations: [
          { op: 'test', path: '/metadata/resourceVersion', value: metadata?.resourceVersion },
          { op: 'add', path, value: on('gpu-7').matchFields },
          { op: 'replace', path: '/spec/schedulingGates', value: [] },
        ],
      });
      expect(given.spec?.nodeName).toBeUndefined();
      await expect
        .poll(async () => scheduledCondition(await client.get(kinds.pods, refOf(gated))), patience)
        .toMatchObject({
          status: 'False',
          reason: 'Unschedulable',
          message: expect.stringMatching(/^0\/20 nodes are available: .*1 Insufficient cpu/),
        });
      await client.delete(kinds.pods, refOf(blocker), { gracePeriodSeconds: 1 });
      await expect.poll(async () => isReady(await client.get(kinds.pods, refOf(gated))), patience).toBe(true);
      expect((await client.get(kinds.pods, refOf(gated))).spec?.nodeName).toBe('gpu-7');
      await client.delete(kinds.pods, refOf(gated), { gracePeriodSeconds: 1 });
      await expect.poll(async () => await client.find(kinds.pods, refOf(gated)), patience).toBeUndefined();
    });

    it('cannot pull an image of a registry that has no address, and says so', async () => {
      const { client } = nodes();
      const pod = gpuPod('unpulled', 0, {}, { image: 'nowhere.invalid/app:1' });
      await client.create(kinds.pods, pod);
      await expect
        .poll(async () => (await client.get(kinds.pods, refOf(pod))).status?.containerStatuses?.[0]?.state?.waiting, patience)
        .toEqual({ reason: 'ImagePullBackOff', message: expect.stringContaining('lookup nowhere.invalid: no such host') });
      expect((await client.get(kinds.pods, refOf(pod))).status?.phase).toBe('Pending');
      await client.delete(kinds.pods, refOf(pod), { gracePeriodSeconds: 1 });
    });

    it('rolls an update through, and scales down', async () => {
      await nodes().client.create(kinds.deployments, deployment('web', 10, {}));
      await expect.poll(async () => (await nodes().running('web')).length, patience).toBe(10);
      await nodes().kubectl(['set', 'image', 'deployment/web', 'main=registry.example/web:2']);
      expect(await nodes().kubectl(['rollout', 'status', 'deployment/web', '--timeout=60s'])).toContain('successfully rolled out');
      await expect
        .poll(async () => (await nodes().podsOf('web')).map(({ spec }) => spec?.containers[0]?.image), patience)
        .toEqual(Array.from({ length: 10 }, () => 'registry.example/web:2'));
      await nodes().client.setScale(kinds.deployments, { namespace, name: 'web' }, 3);
      await expect.poll(async () => (await nodes().podsOf('web')).length, patience).toBe(3);
    });

    it('restarts a container that ends, with a growing wait, and counts it', async () => {
      const pod = gpuPod('crasher', 0, {}, { image: 'registry.example/broken:crash' });
      await nodes().client.create(kinds.pods, pod);
      await expect
        .poll(async () => (await nodes().client.get(kinds.pods, refOf(pod))).status?.containerStatuses?.[0]?.restartCount ?? 0, patience)
        .toBeGreaterThan(1);
      const status = (await nodes().client.get(kinds.pods, refOf(pod))).status;
      expect(status?.phase).toBe('Running');
      expect(status?.containerStatuses?.[0]?.lastState?.terminated?.exitCode).toBe(1);
      await nodes().client.delete(kinds.pods, refOf(pod));
      await expect.poll(async () => await nodes().client.find(kinds.pods, refOf(pod)), patience).toBeUndefined();
    });

    it('crashes a pod on demand, which then starts again', async () => {
      const [pod] = await nodes().running('web');
      if (pod === undefined) throw new Error('there is no pod to crash');
      await nodes().pool.failPod(refOf(pod), 42);
      await expect
        .poll(async () => (await nodes().client.get(kinds.pods, refOf(pod))).status?.containerStatuses?.[0], patience)
        .toMatchObject({ restartCount: 1, ready: true, lastState: { terminated: { exitCode: 42 } } });
    });

    it('numbers the pods of a StatefulSet and gives each its volume', async () => {
      await nodes().client.create(kinds.storageClasses, { metadata: { name: 'manual' }, provisioner: 'kubernetes.io/no-provisioner' });
      for (const disk of ['disk-a', 'disk-b']) await nodes().client.create(kinds.persistentVolumes, volume(disk));
      await nodes().client.create(kinds.statefulSets, statefulSet('store', 2));
      await expect
        .poll(async () => (await nodes().running('store')).map(({ metadata }) => metadata?.name), patience)
        .toEqual(['store-0', 'store-1']);
      const claims = (await nodes().client.list(kinds.persistentVolumeClaims, { namespace })).items;
      expect(claims.map(({ metadata, status }) => [metadata?.name, status?.phase])).toEqual([
        ['data-store-0', 'Bound'],
        ['data-store-1', 'Bound'],
      ]);
      expect(new Set(claims.map(({ spec }) => spec?.volumeName))).toEqual(new Set(['disk-a', 'disk-b']));
      await nodes().client.setScale(kinds.statefulSets, { namespace, name: 'store' }, 1);
      await expect.poll(async () => (await nodes().podsOf('store')).map(({ metadata }) => metadata?.name), patience).toEqual(['store-0']);
    });

    it('runs one pod of a DaemonSet on every node that its selector names', async () => {
      for (const node of ['gpu-2', 'gpu-3', 'gpu-4']) await nodes().kubectl(['label', 'node', node, 'pool=special']);
      const labels = { app: 'daemon' };
      const spec = { containers: [{ name: 'main', image: 'registry.example/daemon' }], nodeSelector: { pool: 'special' } };
      await nodes().client.create(kinds.daemonSets, {
        metadata: { namespace, name: 'daemon' },
        spec: { selector: { matchLabels: labels }, template: { metadata: { labels }, spec } },
      });
      await expect.poll(async () => nodesOf(await nodes().running('daemon')), patience).toEqual(['gpu-2', 'gpu-3', 'gpu-4']);
      await nodes().kubectl(['label', 'node', 'gpu-4', 'pool-']);
      await expect.poll(async () => nodesOf(await nodes().podsOf('daemon')), patience).toEqual(['gpu-2', 'gpu-3']);
      await expect
        .poll(async () => (await nodes().client.get(kinds.daemonSets, { namespace, name: 'daemon' })).status, patience)
        .toMatchObject({ desiredNumberScheduled: 2, numberReady: 2 });
    });

    it('gives a Service an address and the endpoints of its ready pods', async () => {
      await nodes().kubectl(['expose', 'deployment', 'web', '--port=80', '--target-port=8080', '--type=NodePort']);
      const ready = new Set((await nodes().running('web')).map(({ status }) => status?.podIP));
      await expect
        .poll(async () => {
          const slices = await nodes().client.list(kinds.endpointSlices, { namespace, labelSelector: 'kubernetes.io/service-name=web' });
          return new Set(
            slices.items.flatMap(({ endpoints }) =>
              (endpoints ?? []).flatMap(({ addresses, conditions }) => (conditions?.ready === true ? addresses : [])),
            ),
          );
        }, patience)
        .toEqual(ready);
      const service = await nodes().client.get(kinds.services, { namespace, name: 'web' });
      expect(service.spec?.clusterIP).toMatch(/^10\.96\./);
      expect(service.spec?.ports?.[0]?.nodePort).toBeGreaterThanOrEqual(30_000);
    });
  });
}
