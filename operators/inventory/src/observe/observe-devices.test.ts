import { kinds } from '@quartermaster/kube';
import type { Device } from '@quartermaster/kube/shapes';
import { describe, expect, it } from 'vitest';
import { type ClaimView, type CompletePools, observeDevices } from './observe-devices.ts';
import { observeSlice, olderVersions, type SliceView } from './observe-slice.ts';

const slice = (node: string, generation: number, count: number, ...devices: string[]): SliceView => ({
  spec: {
    driver: 'gpu.nvidia.com',
    nodeName: node,
    pool: { name: node, generation, resourceSliceCount: count },
    devices: devices.map((name) => ({
      name,
      attributes: { uuid: { string: `GPU-${name}` }, cores: { int: 4 }, driverVersion: { version: '580.1.0' } },
      capacity: { memory: { value: '80Gi' } },
    })),
  },
});

const claim = (more: { readonly adminAccess?: boolean } = {}): ClaimView => ({
  metadata: { namespace: 'lease-1', name: 'gpu' },
  status: {
    allocation: { devices: { results: [{ driver: 'gpu.nvidia.com', pool: 'a', device: 'gpu-1', ...more }] } },
    reservedFor: [{ resource: 'pods', name: 'web-0', uid: 'u1' }],
  },
});

const names = (found: ReturnType<typeof observeDevices>): Record<string, string[]> =>
  Object.fromEntries([...found].map(([node, devices]) => [node, devices.map(({ device }) => device)]));

describe('observeDevices', () => {
  it('gives the devices of a pool by node, with attributes and memory', () => {
    expect(observeDevices([slice('a', 1, 1, 'gpu-0')], []).get('a')).toEqual([
      {
        node: 'a',
        driver: 'gpu.nvidia.com',
        pool: 'a',
        device: 'gpu-0',
        attributes: { uuid: 'GPU-gpu-0', cores: 4, driverVersion: '580.1.0' },
        memoryBytes: 80 * 2 ** 30,
        taints: [],
        isTaken: false,
      },
    ]);
  });

  it('tells of which Node the slices are, where that one owns them', () => {
    const { spec } = slice('a', 1, 1, 'gpu-0');
    const owner = { apiVersion: 'v1', kind: 'Node', name: 'a', uid: 'uid-of-a' };
    const uids = (...ownerReferences: (typeof owner)[]) =>
      observeDevices([observeSlice({ metadata: { ownerReferences }, spec })], [])
        .get('a')
        ?.map(({ nodeUid }) => nodeUid);
    expect(uids({ ...owner, kind: 'DaemonSet', uid: 'other' }, owner)).toEqual(['uid-of-a']);
    expect(uids({ ...owner, kind: 'DaemonSet' })).toEqual([undefined]);
    expect(uids({ ...owner, name: 'b' })).toEqual([undefined]);
  });

  it('reads slices of v1beta1, which keep a device in `basic`, as those of v1 and v1beta2', () => {
    const { spec } = slice('a', 1, 1, 'gpu-0');
    const older: SliceView = {
      spec: { ...spec, devices: spec.devices?.map(({ name, ...basic }): Device & { readonly basic: object } => ({ name, basic })) },
    };
    expect(observeSlice(older)).toEqual({ spec });
    const newer = { spec };
    expect(observeSlice(newer).spec).toBe(newer.spec);
    expect(olderVersions(kinds.resourceSlices).map(({ version, plural }) => `${version}/${plural}`)).toEqual([
      'v1beta2/resourceslices',
      'v1beta1/resourceslices',
    ]);
  });

  it('counts what cannot be read of shared counters as taken', () => {
    const { spec } = slice('a', 1, 1, 'gpu-0', 'gpu-1');
    const consumesCounters = [{ counterSet: 'set', counters: { memory: { value: '1Gi' } } }];
    const sharedCounters = [{ name: 'set', counters: { memory: { value: 'much' } } }];
    const devices = spec.devices?.map((device) => ({ ...device, consumesCounters })) ?? [];
    const counters = observeDevices([{ spec: { ...spec, devices, sharedCounters } }], []).get('a')?.[0]?.counters;
    expect(counters).toEqual([{ name: 'set/memory', need: 2 ** 30 * 1000, left: 0, total: 0 }]);
  });

  it('takes the newest generation of a pool alone, whatever the order', () => {
    const slices = [slice('a', 1, 1, 'old'), slice('a', 3, 1, 'new'), slice('a', 2, 1, 'older')];
    for (const order of [slices, slices.toReversed()]) expect(names(observeDevices(order, []))).toEqual({ a: ['new'] });
  });

  it('leaves a pool out until all of its slices were there once', () => {
    expect(names(observeDevices([slice('a', 1, 2, 'gpu-0')], []))).toEqual({});
    expect(names(observeDevices([slice('a', 1, 2, 'gpu-0'), slice('a', 1, 2, 'gpu-1')], []))).toEqual({ a: ['gpu-0', 'gpu-1'] });
  });

  it('keeps the devices of a pool while its driver changes it, marked as not to be had, and forgets them with the pool', () => {
    const complete: CompletePools = new Map();
    const seen = (...slices: SliceView[]) =>
      observeDevices(slices, [], complete)
        .get('a')
        ?.map(({ device, isPoolIncomplete = false }) => [device, isPoolIncomplete]);
    const old = [slice('a', 1, 2, 'gpu-0'), slice('a', 1, 2, 'gpu-1')] as const;
    expect(seen(...old)).toEqual([
      ['gpu-0', false],
      ['gpu-1', false],
    ]);
    expect(seen(slice('a', 2, 2, 'gpu-0'), old[1])).toEqual([
      ['gpu-0', true],
      ['gpu-1', true],
    ]);
    expect(seen(slice('a', 2, 2, 'gpu-0'), slice('a', 2, 2, 'gpu-2'))).toEqual([
      ['gpu-0', false],
      ['gpu-2', false],
    ]);
    expect(seen()).toBeUndefined();
    expect(seen(slice('a', 3, 2, 'gpu-0'))).toBeUndefined();
  });

  it('tells which pod holds a device by its claim', () => {
    const devices = observeDevices([slice('a', 1, 1, 'gpu-0', 'gpu-1')], [claim()]).get('a');
    expect(devices?.map(({ isTaken, holders }) => [isTaken, holders])).toEqual([
      [false, undefined],
      [true, [{ namespace: 'lease-1', pod: 'web-0', podUid: 'u1' }]],
    ]);
  });

  it('counts a device as taken that a claim has before a pod is named, and not one that is only looked after', () => {
    const taken = (...claims: ClaimView[]) =>
      observeDevices([slice('a', 1, 1, 'gpu-1')], claims)
        .get('a')
        ?.map(({ isTaken = false }) => isTaken);
    const { reservedFor: _nobody, ...allocated } = claim().status ?? {};
    expect(taken({ ...claim(), status: allocated })).toEqual([true]);
    expect(taken(claim({ adminAccess: true }))).toEqual([false]);
    expect(taken(claim({ adminAccess: true }), claim())).toEqual([true]);
    expect(taken(claim(), claim({ adminAccess: true }))).toEqual([true]);
  });
});
