import type { Pod } from '@quartermaster/kube/shapes';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { projectPod } from '../cluster/kubelet-pod.ts';
import { loadScenario } from './load-scenario.ts';
import { parseScenario } from './parse-scenario.ts';
import { varied } from './running-pods.ts';
import { expandScenario, type World } from './world.ts';

const counts = fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1, maxLength: 4 });

const fileOf = (seed: number, racks: readonly number[], tenants: number, perNode: number): string => `
seed: ${seed}
hardware:
  plain: { cpu: epyc-7402, sockets: 1, memoryGiB: 64, gpus: [{ model: t4, count: 1 }] }
racks:
${racks.map((count, index) => `  - { name: rack-${index}, nodes: [{ prefix: node, hardware: plain, count: ${count} }] }`).join('\n')}
tenants:
  - { prefix: tenant, count: ${tenants}, workloads: [{ name: web, expose: { port: 80 } }], runningPods: { perNode: ${perNode} } }
`;

const runningPods = (world: World): Pod[] =>
  [...world.runningPods()].flatMap((pods) => [...pods.variations].map((variation) => varied(pods, variation)));

describe('expandScenario', () => {
  it('makes the same world of the same file, and everything in it once', () => {
    fc.assert(
      fc.property(fc.nat(1000), counts, fc.integer({ min: 1, max: 3 }), fc.integer({ min: 1, max: 4 }), (seed, racks, tenants, perNode) => {
        const text = fileOf(seed, racks, tenants, perNode);
        const world = expandScenario(parseScenario(text, 'a.yaml'));
        const again = expandScenario(parseScenario(text, 'b.yaml'));
        expect(again.nodes).toEqual(world.nodes);
        const objects = [...world.objects()];
        expect([...again.objects()]).toEqual(objects);
        const pods = runningPods(world);
        expect(runningPods(again)).toEqual(pods);
        const total = racks.reduce((sum, count) => sum + count, 0);
        expect(world.nodes).toHaveLength(total);
        const ids = objects.map(({ type, object }) => `${type.plural} ${object.metadata?.namespace}/${object.metadata?.name}`);
        expect(new Set(ids).size).toBe(ids.length);
        expect(new Set(pods.map(({ metadata }) => `${metadata?.namespace}/${metadata?.name}`)).size).toBe(total * perNode);
        const unique = (values: readonly (string | number)[]): number => new Set(values).size;
        expect(unique(world.nodes.map(({ index }) => index))).toBe(total);
        expect(unique(world.nodes.map(({ name }) => name))).toBe(total);
        expect(unique(world.nodes.map(({ hardware }) => hardware.serial))).toBe(total);
      }),
      { numRuns: 30 },
    );
  });

  it('makes other serial numbers of another seed, and nothing else', () => {
    const one = expandScenario(parseScenario(fileOf(1, [2], 1, 1), 'a.yaml'));
    const two = expandScenario(parseScenario(fileOf(2, [2], 1, 1), 'a.yaml'));
    expect(two.nodes.map(({ name }) => name)).toEqual(one.nodes.map(({ name }) => name));
    expect(two.nodes[0]?.hardware.serial).not.toBe(one.nodes[0]?.hardware.serial);
  });

  it('begins with pods that the kubelet has nothing to do with', () => {
    const world = expandScenario(parseScenario(fileOf(1, [2], 1, 3), 'a.yaml'));
    const pods = runningPods(world);
    expect(pods).toHaveLength(6);
    expect(pods.map((pod) => projectPod(pod, () => false).active)).toEqual(pods.map(() => undefined));
    expect(new Set(pods.map(({ status }) => status?.podIP)).size).toBe(6);
  });

  it('has the shipped sizes', async () => {
    const size = async (name: string): Promise<readonly number[]> => {
      const world = expandScenario(await loadScenario(name));
      return [world.nodes.length, runningPods(world).length];
    };
    expect(await size('small')).toEqual([3, 0]);
    expect(await size('gpu-farm')).toEqual([40, 0]);
    expect(await size('5000-nodes')).toEqual([5000, 150_000]);
  });
});
