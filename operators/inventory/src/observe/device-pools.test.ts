import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sortedByName } from '../model/sorted-by-name.ts';
import { DevicePools } from './device-pools.ts';
import { type ClaimView, type CompletePools, observeDevices } from './observe-devices.ts';
import type { SliceView } from './observe-slice.ts';

const driver = 'gpu.nvidia.com';

function sliceOf(pool: string, node: string, { generation = 1, count = 1, devices = ['gpu-0'] } = {}): SliceView {
  const { length } = devices;
  const consumesCounters = [{ counterSet: 'card', counters: { memory: { value: '1' } } }];
  return {
    spec: {
      driver,
      nodeName: node,
      pool: { name: pool, generation, resourceSliceCount: count },
      devices: devices.map((name) => ({ name, consumesCounters })),
      sharedCounters: [{ name: 'card', counters: { memory: { value: String(length) } } }],
    },
  };
}

const claimOf = (name: string, ...devices: (readonly [pool: string, device: string])[]): ClaimView => ({
  metadata: { namespace: 'lease-1', name },
  status: {
    allocation: { devices: { results: devices.map(([pool, device]) => ({ request: 'card', driver, pool, device })) } },
    reservedFor: [{ resource: 'pods', name, uid: name }],
  },
});

/** A pool of one device on each of so many nodes, and how many of their slices were looked at since it was last asked. */
function nodesWithPools(count: number) {
  const pools = new DevicePools();
  let looks = 0;
  const counted = ({ spec }: SliceView): SliceView => ({
    get spec() {
      looks += 1;
      return spec;
    },
  });
  for (let index = 0; index < count; index += 1) pools.setSlice(`slice-${index}`, counted(sliceOf(`pool-${index}`, `n${index}`)));
  const taken = () => {
    looks = 0;
    const devices = pools.take();
    return { looks, nodes: [...devices.keys()], isTaken: [...devices.values()].flat().map((device) => device.isTaken) };
  };
  return { pools, taken };
}

describe('DevicePools', () => {
  it('keeps a pool that fails as it last was, and goes on with the others, where somebody takes note of it', () => {
    const failed: string[] = [];
    const pools = new DevicePools((pool, take) => {
      try {
        take();
      } catch {
        failed.push(pool);
      }
    });
    const names = () => [...pools.take()].map(([node, devices]) => [node, devices.map(({ device }) => device)]);
    pools.setSlice('a', sliceOf('a', 'n1'));
    pools.setSlice('b', sliceOf('b', 'n2'));
    expect(names()).toEqual([
      ['n1', ['gpu-0']],
      ['n2', ['gpu-0']],
    ]);
    pools.setSlice('a', { spec: { ...sliceOf('a', 'n1').spec, devices: 5 as never } });
    pools.setSlice('b', sliceOf('b', 'n2', { devices: ['gpu-1'] }));
    expect(names()).toEqual([
      ['n1', ['gpu-0']],
      ['n2', ['gpu-1']],
    ]);
    expect(failed).toEqual(['gpu.nvidia.com/a']);
  });

  it('looks at the pools of a claim alone, and tells of their nodes', () => {
    const few = nodesWithPools(10);
    const many = nodesWithPools(1000);
    expect(many.taken().nodes).toHaveLength(1000);
    few.taken();
    const claim = claimOf('a', ['pool-3', 'gpu-0'], ['pool-7', 'gpu-0']);
    for (const { pools } of [few, many]) pools.setClaim('lease-1/a', claim);
    const cost = few.taken();
    expect(cost).toMatchObject({ nodes: ['n3', 'n7'], isTaken: [true, true] });
    expect(many.taken()).toEqual(cost);
    expect(many.taken()).toEqual({ looks: 0, nodes: [], isTaken: [] });
    many.pools.setClaim('lease-1/a', undefined);
    expect(many.taken()).toMatchObject({ nodes: ['n3', 'n7'], isTaken: [false, false] });
  });

  it('looks at nothing for a claim that has no devices', () => {
    const { pools, taken } = nodesWithPools(10);
    taken();
    pools.setClaim('lease-1/a', { metadata: { namespace: 'lease-1', name: 'a' } });
    expect(taken()).toEqual({ looks: 0, nodes: [], isTaken: [] });
  });

  it('gives all devices of a node of which one pool changed, and of every node when that is asked', () => {
    const pools = new DevicePools();
    pools.setSlice('a', sliceOf('one', 'n1', { devices: ['x', 'y'] }));
    pools.setSlice('b', sliceOf('two', 'n1', { devices: ['z'] }));
    pools.setSlice('c', sliceOf('other', 'n2'));
    pools.take();
    pools.setSlice('b', sliceOf('two', 'n1', { generation: 2, devices: ['z', 'zz'] }));
    expect([...pools.take()].map(([node, devices]) => [node, devices.map(({ device }) => device)])).toEqual([
      ['n1', ['x', 'y', 'z', 'zz']],
    ]);
    pools.setSlice('a', undefined);
    expect([...pools.take()].map(([node, devices]) => [node, devices.map(({ device }) => device)])).toEqual([['n1', ['z', 'zz']]]);
    pools.changeAll();
    expect([...pools.take().keys()]).toEqual(['n1', 'n2']);
  });

  it('says after any changes what all slices and claims together say', () => {
    const pool = fc.constantFrom('p', 'q');
    const node = fc.constantFrom('n1', 'n2');
    const slice = fc.record({ pool, node, generation: fc.integer({ min: 1, max: 3 }), count: fc.integer({ min: 1, max: 2 }) }).map(
      ({ pool: name, node: on, ...more }) =>
        (key: string) =>
          sliceOf(name, on, { ...more, devices: [key] }),
    );
    const claim = fc
      .array(fc.tuple(pool, fc.constantFrom('a', 'b', 'c')), { maxLength: 2 })
      .map((devices) => (key: string) => claimOf(key, ...devices));
    const key = fc.constantFrom('a', 'b', 'c');
    const change = fc.oneof(
      fc.record({ kind: fc.constant('slice' as const), key, value: fc.option(slice, { nil: undefined }) }),
      fc.record({ kind: fc.constant('claim' as const), key, value: fc.option(claim, { nil: undefined }) }),
    );
    fc.assert(
      fc.property(fc.array(change, { maxLength: 30 }), (changes) => {
        const pools = new DevicePools();
        const slices = new Map<string, SliceView>();
        const claims = new Map<string, ClaimView>();
        const complete: CompletePools = new Map();
        const told = new Map<string, readonly object[]>();
        for (const each of changes) {
          if (each.kind === 'slice') {
            const value = each.value?.(each.key);
            pools.setSlice(each.key, value);
            if (value === undefined) slices.delete(each.key);
            else slices.set(each.key, value);
          } else {
            const value = each.value?.(each.key);
            pools.setClaim(each.key, value);
            if (value === undefined) claims.delete(each.key);
            else claims.set(each.key, value);
          }
          for (const [on, devices] of pools.take()) told.set(on, devices);
          const inOrder = <T>(values: ReadonlyMap<string, T>) => sortedByName([...values], ([name]) => name).map(([, value]) => value);
          const all = observeDevices(inOrder(slices), inOrder(claims), complete);
          for (const on of ['n1', 'n2']) expect(told.get(on) ?? []).toEqual(sortedByName(all.get(on) ?? [], (device) => device.pool));
        }
      }),
    );
  });
});
