import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sampleGroup, samplePod } from '../../test/sample-pods.ts';
import type { Plan } from '../placement/plan.ts';
import { placePods } from './place-pods.ts';

const planOf = (units: Readonly<Record<number, readonly string[]>>): Plan => ({
  units: Object.entries(units).map(([id, nodes]) => ({
    ...{ id: Number(id), cpuMillis: 100, memoryBytes: 1, ephemeralBytes: 0, volumes: [] },
    replicas: nodes.map((node) => ({ node, uid: node })),
  })),
  ports: 0,
  ips: 0,
});
const group = sampleGroup({ web: 1, db: 2 });
type Pod = ReturnType<typeof samplePod>;
const gated = (name: string, service = 'web', claims: readonly string[] = []): Pod => samplePod({ name, service, isGated: true, claims });
const underWay = (name: string, assignedTo: string): Pod => samplePod({ name, service: 'web', assignedTo });
const on = (node: string) => ({ name: `on-${node}`, node, phase: 'Bound', storageClass: 'local', bytes: 1 });

const placed = (plan: Plan, pods: readonly Pod[], claims: Parameters<typeof placePods>[3] = []) => {
  const { assign, replace } = placePods(plan, group, pods, claims, { isOpen: () => true, isHeard: () => true });
  return { assign: assign.map(({ pod, node }) => `${pod.name} -> ${node}`).toSorted(), replace: replace.map(({ name }) => name) };
};

describe('the places of pods of several services', () => {
  it('are those of the unit of each, whoever comes first', () => {
    const pods = [gated('db-1', 'db'), gated('web-2'), gated('web-1'), gated('other-1', 'other')];
    expect(placed(planOf({ 1: ['a', 'b'], 2: ['c'] }), pods).assign).toEqual(['db-1 -> c', 'web-1 -> a', 'web-2 -> b']);
    expect(placed(planOf({ 1: [], 2: ['a', 'b'] }), [gated('web-1'), gated('db-1', 'db')]).assign).toEqual(['db-1 -> a']);
  });

  it('are the same in whichever order pods are seen', () => {
    const pods = [gated('1'), gated('2'), gated('3', 'web', ['on-b']), underWay('4', 'a'), underWay('5', 'a'), gated('6', 'db')];
    const plan = planOf({ 1: ['a', 'b', 'c', 'd'], 2: ['a'] });
    const expected = placed(plan, pods, [on('b')]);
    expect(expected).toEqual({ assign: ['1 -> c', '2 -> d', '3 -> b', '6 -> a'], replace: ['5'] });
    fc.assert(
      fc.property(fc.shuffledSubarray(pods, { minLength: pods.length }), (shuffled) => {
        expect(placed(plan, shuffled, [on('b')])).toEqual(expected);
      }),
      { numRuns: 50 },
    );
  });

  it('are had by one pod each, also of two that are under way to the same', () => {
    expect(placed(planOf({ 1: ['a', 'b'] }), [underWay('1', 'a'), underWay('2', 'a')])).toEqual({ assign: [], replace: ['2'] });
    expect(placed(planOf({ 1: ['a', 'a'] }), [underWay('1', 'a'), underWay('2', 'a'), gated('3')])).toEqual({ assign: [], replace: [] });
  });

  it('are those of the unit that a pod was given, whatever its service takes by now', () => {
    const runs = (name: string, service: string, unit: number, node: string): Pod => samplePod({ name, service, unit, node });
    const plan = planOf({ 1: ['g1', 'g2'], 2: ['c1', 'c2'] });
    // db took places of unit 1, and takes those of unit 2 by now: one of its pods stays while the next cannot start.
    const swapped = [runs('db-old', 'db', 1, 'g2'), gated('web-1'), gated('web-2'), gated('db-1', 'db')];
    expect(placed(plan, swapped).assign).toEqual(['db-1 -> c1', 'web-1 -> g1']);
    // A service that was renamed: pods of the former name run until they are gone, and are under way until they are deleted.
    expect(placed(plan, [runs('old-1', 'old', 1, 'g1'), gated('web-1'), gated('web-2')]).assign).toEqual(['web-1 -> g2']);
    const leaving = { ...runs('old-1', 'old', 1, 'g1'), isDeleting: true };
    expect(placed(plan, [leaving, gated('web-1'), gated('web-2')]).assign).toEqual(['web-1 -> g2']);
    const coming = samplePod({ name: 'old-1', service: 'old', unit: 1, assignedTo: 'g1' });
    expect(placed(plan, [coming, gated('web-1'), gated('web-2')]).assign).toEqual(['web-1 -> g2']);
    expect(placed(planOf({ 1: ['g2'] }), [coming, gated('web-1')])).toEqual({ assign: ['web-1 -> g2'], replace: ['old-1'] });
  });

  it('are kept for the pod whose data lies there', () => {
    const plan = planOf({ 1: ['a'] });
    expect(placed(plan, [gated('1'), gated('2', 'web', ['on-a'])], [on('a')]).assign).toEqual(['2 -> a']);
    // The first has its data where the plan has no room for it any more.
    const pods = [gated('1', 'web', ['on-x']), gated('2', 'web', ['on-a'])];
    expect(placed(planOf({ 1: ['a', 'b'] }), pods, [on('x'), on('a')]).assign).toEqual(['1 -> b', '2 -> a']);
  });

  it.each(['Succeeded', 'Failed'])('are free again where a pod has ended: %s', (phase) => {
    const ended = samplePod({ name: '1', service: 'web', node: 'a', phase });
    expect(placed(planOf({ 1: ['a'] }), [ended, gated('2')]).assign).toEqual(['2 -> a']);
  });
});
