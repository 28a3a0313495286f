import { describe, expect, it } from 'vitest';
import { gpuDevice, nodeInventory } from '../../test/inventory-values.ts';
import { testPod } from '../../test/ledger-fixtures.ts';
import type { ObservedPod } from '../model/observed.ts';
import { allocationKey, allocationsOf } from './allocations.ts';
import { firstInOrder } from './first-in-order.ts';

/** In no order: the step shares no divisor with the number of them. */
const pods = (count: number): ObservedPod[] =>
  Array.from({ length: count }, (_, index) => {
    const number = (index * 7919) % count;
    return testPod(`pod-${number}`, 'n1', {}, { namespace: `lease-${number % 10}` });
  });

/** The node of the pods; counts how often its devices are looked at. */
function countedView() {
  const view = nodeInventory('n1', {
    devices: [gpuDevice('GPU-0', { holder: { namespace: 'a', pod: 'a', podUid: 'pod-7', source: 'kubelet' } })],
  });
  let looks = 0;
  const counted = {
    ...view,
    get devices() {
      looks += 1;
      return view.devices;
    },
  };
  return { viewOf: () => counted, looks: () => looks };
}

describe('pages of allocations', () => {
  it('have all of them once, in order, whatever comes and goes between two pages', () => {
    const { viewOf } = countedView();
    const all = pods(1000);
    const seen: string[] = [];
    for (let after = ''; ; ) {
      const page = allocationsOf(all, {}, viewOf, { after, limit: 64 });
      if (page.length === 0) break;
      seen.push(...page.map(allocationKey));
      after = seen.at(-1) ?? '';
      all.unshift(testPod('added', 'n1', {}, { namespace: 'lease-0', name: `added-${seen.length}` }));
    }
    const inOrder = allocationsOf(pods(1000), {}, viewOf).map(allocationKey);
    expect(new Set(inOrder).size).toBe(1000);
    expect(seen.filter((key) => !key.endsWith('/added'))).toEqual(inOrder);
  });

  it('are made of the pods on them alone', () => {
    const { viewOf, looks } = countedView();
    expect(allocationsOf(pods(10_000), {}, viewOf, { after: 'lease-3/pod-5', limit: 10 })).toHaveLength(10);
    expect(looks()).toBe(10);
  });

  it('sort little more than they show', () => {
    const compared = { page: 0, all: 0 };
    const numbers = pods(20_000).map(({ name }) => name);
    const counting = (of: keyof typeof compared) => (a: string, b: string) => {
      compared[of] += 1;
      return a < b ? -1 : a > b ? 1 : 0;
    };
    const all = numbers.toSorted(counting('all'));
    expect(firstInOrder(numbers, 100, counting('page'))).toEqual(all.slice(0, 100));
    expect(compared.page).toBeLessThan(2 * numbers.length);
    expect(compared.all).toBeGreaterThan(10 * numbers.length);
  });

  it('find who holds a device', () => {
    const { viewOf } = countedView();
    expect(allocationsOf(pods(100), { device: 'GPU-0' }, viewOf, { after: '', limit: 2 })).toMatchObject([
      { podUid: 'pod-7', devices: ['GPU-0'] },
    ]);
  });
});
