import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { buildHardware } from '../machine/hardware.ts';
import { NodeDevices } from './node-devices.ts';

const { gpus } = buildHardware(
  {
    cpu: 'xeon-6130',
    sockets: 1,
    memoryGiB: 64,
    gpus: [
      { model: 't4', count: 3 },
      { model: 'mi100', count: 1 },
    ],
  },
  'node',
  1,
);
const uuids = gpus.map(({ uuid }) => uuid);
const nvidia = (count: number, container = 'main') => ({ container, resource: 'nvidia.com/gpu', count });
const pod = (name: string, ...requests: readonly ReturnType<typeof nvidia>[]) => ({ namespace: 'default', name, requests });

function devicesOf(lost: ReadonlySet<string> = new Set()): NodeDevices {
  return new NodeDevices(gpus, (uuid) => lost.has(uuid));
}

describe('NodeDevices', () => {
  it('gives devices in the order of the bus, and names them as the vendors’ plugins do', () => {
    const devices = devicesOf();
    devices.admit('a', pod('a', nvidia(2), { container: 'other', resource: 'amd.com/gpu', count: 1 }));
    const holder = { namespace: 'default', pod: 'a' };
    expect(devices.list()).toEqual([
      { ...holder, container: 'main', resource: 'nvidia.com/gpu', deviceId: uuids[0] },
      { ...holder, container: 'main', resource: 'nvidia.com/gpu', deviceId: uuids[1] },
      { ...holder, container: 'other', resource: 'amd.com/gpu', deviceId: gpus[3]?.pciAddress },
    ]);
    expect(devices.visibleTo('a', 'main')).toEqual(uuids.slice(0, 2));
    expect(devices.visibleTo('a', 'other')).toBeUndefined();
  });

  it('keeps a device with its holder, also when it is lost, and gives no lost device away', () => {
    const lost = new Set<string>();
    const devices = devicesOf(lost);
    devices.admit('a', pod('a', nvidia(1)));
    lost.add(uuids[0] ?? '');
    lost.add(uuids[1] ?? '');
    devices.admit('b', pod('b', nvidia(2)));
    expect(devices.list().map(({ pod: name, deviceId }) => [name, deviceId])).toEqual([
      ['a', uuids[0]],
      ['b', uuids[2]],
    ]);
    lost.clear();
    devices.settle();
    expect(devices.visibleTo('b', 'main')).toEqual([uuids[1], uuids[2]]);
  });

  it('gives what was released to the pod that has waited longest', () => {
    const devices = devicesOf();
    devices.admit('a', pod('a', nvidia(3)));
    devices.admit('b', pod('b', nvidia(1)));
    devices.admit('c', pod('c', nvidia(1)));
    expect(devices.visibleTo('b', 'main')).toEqual([]);
    devices.release('a');
    expect([devices.visibleTo('b', 'main'), devices.visibleTo('c', 'main')]).toEqual([[uuids[0]], [uuids[1]]]);
  });

  it('never gives one device to two, nor takes one away from its holder, whatever happens', () => {
    const step = fc.record({ uid: fc.integer({ min: 0, max: 5 }), count: fc.integer({ min: 0, max: 3 }) });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
        const devices = devicesOf();
        const held = new Map<string, string>(); // device -> pod
        for (const { uid, count } of steps) {
          const name = `pod-${uid}`;
          if (count === 0) {
            devices.release(name);
            for (const [device, holder] of held) if (holder === name) held.delete(device);
          } else devices.admit(name, pod(name, nvidia(count)));
          const now = devices.list().map(({ deviceId, pod: holder }): [string, string] => [deviceId, holder]);
          expect(new Set(now.map(([device]) => device)).size).toBe(now.length);
          for (const [device, holder] of held) expect(new Map(now).get(device)).toBe(holder);
          for (const [device, holder] of now) held.set(device, holder);
        }
      }),
    );
  });
});
