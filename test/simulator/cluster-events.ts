import { kinds, refOf } from '@quartermaster/kube';
import { describe, expect, it } from 'vitest';
import { deployment, gpuPod, isReady, namespace } from './cluster-fixtures.ts';
import { patience, type SimulatedNodes } from './simulated-nodes.ts';

/** `Type Reason` of every Event about an object, by its name and kind. */
export async function reasonsOf({ client }: SimulatedNodes, kind: string, name: string): Promise<readonly string[]> {
  const { items } = await client.list(kinds.events);
  return items.flatMap(({ regarding, type, reason }) => (regarding?.kind === kind && regarding.name === name ? [`${type} ${reason}`] : []));
}

/** What people are told, in `kubectl describe` and `kubectl get events`. */
export function describeEvents(nodes: () => SimulatedNodes): void {
  describe('events', () => {
    it('tell of a pod from its binding to its end', async () => {
      const { client, kubectl } = nodes();
      const pod = gpuPod('told', 0);
      await client.create(kinds.pods, pod);
      await expect.poll(async () => isReady(await client.get(kinds.pods, refOf(pod))), patience).toBe(true);
      const story = ['Normal Scheduled', 'Normal Pulled', 'Normal Created', 'Normal Started'];
      await expect.poll(async () => await reasonsOf(nodes(), 'Pod', 'told'), patience).toEqual(expect.arrayContaining(story));
      const described = await kubectl(['describe', 'pod', 'told']);
      expect(described).toMatch(/Normal\s+Scheduled\s+.*told to /);
      expect(described).toMatch(/Normal\s+Started\s+\S+\s+simulated-kubelet\s+Started container main/);
      await client.delete(kinds.pods, refOf(pod), { gracePeriodSeconds: 1 });
      await expect.poll(async () => await reasonsOf(nodes(), 'Pod', 'told'), patience).toContain('Normal Killing');
      expect(await kubectl(['get', 'events', '--field-selector=involvedObject.name=told'])).toContain('Killing');
    });

    it('say why a pod fits nowhere, by how many nodes', async () => {
      const { client, kubectl } = nodes();
      const pod = gpuPod('too-greedy', 9);
      await client.create(kinds.pods, pod);
      await expect.poll(async () => await reasonsOf(nodes(), 'Pod', 'too-greedy'), patience).toContain('Warning FailedScheduling');
      expect(await kubectl(['describe', 'pod', 'too-greedy'])).toMatch(
        /Warning\s+FailedScheduling\s+.*0\/20 nodes are available: .*20 Insufficient nvidia\.com\/gpu/,
      );
      await client.delete(kinds.pods, refOf(pod));
    });

    it('tell of repeats by their count, not by more of them', async () => {
      const { client } = nodes();
      const pod = gpuPod('stumbling', 0, {}, { image: 'registry.example/broken:crash' });
      await client.create(kinds.pods, pod);
      const backOffs = async () =>
        (await client.list(kinds.events, { namespace })).items.filter(
          ({ regarding, reason }) => regarding?.name === 'stumbling' && reason === 'BackOff',
        );
      await expect.poll(async () => (await backOffs())[0]?.series?.count ?? 0, patience).toBeGreaterThan(2);
      expect(await backOffs()).toHaveLength(1);
      await client.delete(kinds.pods, refOf(pod));
    });

    it('tell what controllers make', async () => {
      const { client } = nodes();
      await client.create(kinds.deployments, deployment('announced', 2, {}));
      await expect.poll(async () => await reasonsOf(nodes(), 'Deployment', 'announced'), patience).toEqual(['Normal ScalingReplicaSet']);
      const [set] = (await client.list(kinds.replicaSets, { namespace, labelSelector: 'app=announced' })).items;
      await expect
        .poll(async () => await reasonsOf(nodes(), 'ReplicaSet', set?.metadata?.name ?? ''), patience)
        .toEqual(['Normal SuccessfulCreate', 'Normal SuccessfulCreate']);
      await client.delete(kinds.deployments, { namespace, name: 'announced' });
    });
  });
}
