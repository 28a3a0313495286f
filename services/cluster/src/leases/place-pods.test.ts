import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sampleGroup, samplePod } from '../../test/sample-pods.ts';
import type { Plan } from '../placement/plan.ts';
import { placePods } from './place-pods.ts';

const unit = { id: 1, cpuMillis: 100, memoryBytes: 1, ephemeralBytes: 0, volumes: [] };
const planOn = (...nodes: readonly string[]): Plan => ({
  units: [{ ...unit, replicas: nodes.map((node) => ({ node, uid: node })) }],
  ports: 0,
  ips: 0,
});
const group = sampleGroup({ web: 1 });
const gated = (name: string) => samplePod({ name, service: 'web', isGated: true });
const everywhere = { isOpen: () => true, isHeard: () => true };
const placed = (plan: Plan, pods: readonly ReturnType<typeof samplePod>[], claims: Parameters<typeof placePods>[3] = []) => {
  const { assign, replace } = placePods(plan, group, pods, claims, everywhere);
  return { assign: assign.map(({ pod, node }) => `${pod.name} -> ${node}`), replace: replace.map(({ name }) => name) };
};

describe('the places of pods', () => {
  it('are those of the plan, as often as it has them', () => {
    expect(placed(planOn('a', 'b', 'a'), [gated('1'), gated('2'), gated('3')])).toEqual({
      assign: ['1 -> a', '2 -> b', '3 -> a'],
      replace: [],
    });
    expect(placed(planOn('a'), [gated('1'), gated('2')])).toEqual({ assign: ['1 -> a'], replace: [] });
  });

  it('are not given twice: neither what runs nor what is on its way loses its own', () => {
    const runs = samplePod({ name: '1', service: 'web', node: 'a', phase: 'Running' });
    const underWay = samplePod({ name: '2', service: 'web', assignedTo: 'b' });
    expect(placed(planOn('a', 'b', 'c'), [runs, underWay, gated('3')])).toEqual({ assign: ['3 -> c'], replace: [] });
  });

  it('are free again when a pod ends, and of one that is on its way out when it is gone', () => {
    const leaving = samplePod({ name: '1', service: 'web', node: 'a', isDeleting: true });
    const failed = samplePod({ name: '2', service: 'web', node: 'b', phase: 'Failed' });
    expect(placed(planOn('a', 'b'), [leaving, failed, gated('3'), gated('4')]).assign).toEqual(['3 -> b']);
    expect(placed(planOn('a', 'b'), [failed, gated('3'), gated('4')]).assign).toEqual(['3 -> a', '4 -> b']);
    // It keeps its own place, not another one of the plan.
    expect(placed(planOn('c'), [leaving, gated('3')]).assign).toEqual(['3 -> c']);
  });

  it('are free of a pod on its way out whose node nobody hears of, and of one that never got to a node', () => {
    const lost = samplePod({ name: '1', service: 'web', node: 'a', isDeleting: true });
    const unplaced = samplePod({ name: '2', service: 'web', assignedTo: 'a', isDeleting: true });
    const silent = { isOpen: () => true, isHeard: (node: string) => node !== 'a' };
    expect(placePods(planOn('a'), group, [lost, gated('3')], [], silent).assign).toMatchObject([{ node: 'a' }]);
    expect(placed(planOn('a'), [unplaced, gated('3')]).assign).toEqual(['3 -> a']);
  });

  it('are taken from a pod that never got to its node when the plan has another one by now', () => {
    const stuck = samplePod({ name: '1', service: 'web', assignedTo: 'gone' });
    expect(placed(planOn('b'), [stuck])).toEqual({ assign: [], replace: ['1'] });
    const runs = samplePod({ name: '1', service: 'web', node: 'gone', assignedTo: 'gone', phase: 'Running' });
    expect(placed(planOn('b'), [runs])).toEqual({ assign: [], replace: [] });
  });

  it('are where the volumes of a pod lie', () => {
    const claim = (name: string, node: string) => ({ name, node, phase: 'Bound', storageClass: 'local', bytes: 1 });
    const pods = [
      { ...gated('web-0'), claims: ['data-web-0'] },
      { ...gated('web-1'), claims: ['data-web-1'] },
    ];
    const claims = [claim('data-web-0', 'b'), claim('data-web-1', 'a')];
    expect(placed(planOn('a', 'b'), pods, claims).assign.toSorted()).toEqual(['web-0 -> b', 'web-1 -> a']);
  });

  it('are not given on a node that takes nothing now: a pod waits for it at its gate', () => {
    const isOpen = (node: string): boolean => node !== 'dead';
    const given = (plan: Plan, pods: readonly ReturnType<typeof samplePod>[], claims: Parameters<typeof placePods>[3] = []) => {
      const { assign, held } = placePods(plan, group, pods, claims, { isOpen, isHeard: isOpen });
      return [assign, held].map((each) => each.map(({ pod, node }) => `${pod.name} -> ${node}`));
    };
    const leaving = samplePod({ name: '0', service: 'web', node: 'dead', isDeleting: true });
    expect(given(planOn('dead', 'b'), [leaving, gated('1'), gated('2')])).toEqual([['1 -> b'], ['2 -> dead']]);
    const claim = { name: 'data-1', node: 'dead', phase: 'Bound', storageClass: 'local', bytes: 1 };
    const bound = { ...gated('1'), claims: ['data-1'] };
    expect(given(planOn('dead', 'b'), [bound, gated('2')], [claim])).toEqual([['2 -> b'], ['1 -> dead']]);
  });

  it('are never more on a node than a unit has there, whatever its services were called and took before', () => {
    const node = fc.constantFrom('a', 'b', 'c');
    const service = fc.constantFrom('web', 'db', 'former');
    const pod = fc.record({ service, unit: fc.constantFrom(1, 2), node: fc.option(node, { nil: '' }), isDeleting: fc.boolean() });
    const two = sampleGroup({ web: 1, db: 2 });
    fc.assert(
      fc.property(
        fc.tuple(fc.array(node, { maxLength: 4 }), fc.array(node, { maxLength: 4 })),
        fc.array(pod, { maxLength: 6 }),
        fc.array(fc.constantFrom('web', 'db'), { maxLength: 6 }),
        (places, states, waiting) => {
          const standing = states.map((state, at) => samplePod({ name: `old-${at}`, ...state, assignedTo: state.node || 'a' }));
          const plan = {
            ...planOn(),
            units: places.map((nodes, at) => ({ ...unit, id: at + 1, replicas: nodes.map((each) => ({ node: each, uid: each })) })),
          };
          const pods = [...standing, ...waiting.map((each, at) => ({ ...gated(`new-${at}`), service: each }))];
          const { assign, replace } = placePods(plan, two, pods, [], everywhere);
          for (const { id, replicas } of plan.units) {
            for (const each of ['a', 'b', 'c']) {
              const runs = standing.filter(
                (other) =>
                  other.unit === id && !replace.includes(other) && (other.node || (other.isDeleting ? '' : other.assignedTo)) === each,
              );
              const given = assign.filter((other) => other.unit === id && other.node === each);
              expect(given.length).toBeLessThanOrEqual(Math.max(replicas.filter((other) => other.node === each).length - runs.length, 0));
            }
          }
        },
      ),
    );
  });

  it('are never more on a node than the plan has there', () => {
    const node = fc.constantFrom('a', 'b', 'c');
    const pod = fc.record({
      node: fc.option(node, { nil: '' }),
      assignedTo: fc.option(node, { nil: '' }),
      isGated: fc.boolean(),
      isDeleting: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(node, { maxLength: 6 }), fc.array(pod, { maxLength: 8 }), (nodes, states) => {
        const pods = states.map((state, at) =>
          samplePod({ name: String(at), service: 'web', ...state, isGated: state.isGated && state.node === '' && state.assignedTo === '' }),
        );
        const { assign, replace } = placePods(planOn(...nodes), group, pods, [], everywhere);
        for (const each of new Set(nodes)) {
          const standing = pods.filter(
            (other) => !(other.isDeleting && other.node === '') && !replace.includes(other) && (other.node || other.assignedTo) === each,
          );
          const given = assign.filter((other) => other.node === each);
          // Of what runs there may be more than planned: that is where it is.
          expect(given.length).toBeLessThanOrEqual(Math.max(nodes.filter((other) => other === each).length - standing.length, 0));
        }
        expect(assign.every(({ pod: { isGated, isDeleting } }) => isGated && !isDeleting)).toBe(true);
      }),
    );
  });
});
