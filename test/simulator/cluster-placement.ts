import { kinds, refOf } from '@quartermaster/kube';
import type { Deployment, PodSpec } from '@quartermaster/kube/shapes';
import { describe, expect, it } from 'vitest';
import { deployment, gpuPod, isReady, namespace, nodeCount, nodesOf } from './cluster-fixtures.ts';
import { patience, type SimulatedNodes } from './simulated-nodes.ts';

function withSpec(object: Deployment, more: Partial<PodSpec>): Deployment {
  const { spec } = object;
  const template = { ...spec?.template, spec: { containers: [], ...spec?.template.spec, ...more } };
  return { ...object, spec: { selector: {}, ...spec, template } };
}

/** Where pods go when there is more to it than room. Needs the Deployment `training` of the workloads, 100 pods with a GPU each. */
export function describePlacement(nodes: () => SimulatedNodes): void {
  describe('placement', () => {
    it('spreads pods over domains as evenly as their constraints ask', async () => {
      const { client, running } = nodes();
      const labelSelector = { matchLabels: { app: 'even' } };
      const constraint = { topologyKey: 'kubernetes.io/hostname', maxSkew: 1, whenUnsatisfiable: 'DoNotSchedule', labelSelector };
      await client.create(kinds.deployments, withSpec(deployment('even', nodeCount, {}), { topologySpreadConstraints: [constraint] }));
      await expect.poll(async () => (await running('even')).length, patience).toBe(nodeCount);
      expect(new Set(nodesOf(await running('even'))).size).toBe(nodeCount);
      await client.delete(kinds.deployments, { namespace, name: 'even' });
    });

    it('makes pods of lower priority go for one that finds no room, and only those', async () => {
      const { client, running, podsOf } = nodes();
      await client.create(kinds.priorityClasses, { metadata: { name: 'spare' }, value: -10 });
      await client.create(kinds.priorityClasses, { metadata: { name: 'urgent' }, value: 1000 });
      await client.create(kinds.deployments, withSpec(deployment('spare', 60, { gpus: 1 }), { priorityClassName: 'spare' }));
      await expect.poll(async () => (await running('spare')).length, patience).toBe(60);
      const trainers = new Set((await running('training')).map(({ metadata }) => metadata?.uid));
      const urgent = gpuPod('urgent', 2);
      await client.create(kinds.pods, { ...urgent, spec: { containers: [], ...urgent.spec, priorityClassName: 'urgent' } });
      await expect.poll(async () => isReady(await client.get(kinds.pods, refOf(urgent))), patience).toBe(true);
      await expect.poll(async () => (await running('spare')).length, patience).toBe(58);
      const preempted = async (): Promise<number> =>
        (await client.list(kinds.events, { namespace })).items.filter(({ reason }) => reason === 'Preempted').length;
      await expect.poll(preempted, patience).toBe(2);
      expect(new Set((await running('training')).map(({ metadata }) => metadata?.uid))).toEqual(trainers);
      await client.delete(kinds.pods, refOf(urgent));
      // Not every cluster that runs this collects what an owner leaves behind.
      await client.setScale(kinds.deployments, { namespace, name: 'spare' }, 0);
      await expect.poll(async () => (await podsOf('spare')).length, patience).toBe(0);
      await client.delete(kinds.deployments, { namespace, name: 'spare' });
    });
  });
}
