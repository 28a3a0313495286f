import { fromBinary } from '@bufbuild/protobuf';
import { NodeSchema } from '@quartermaster/api/inventory';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { gpuDevice, gpuGroup, nodeInventory } from '../../test/inventory-values.ts';
import { amount } from '../model/amount.ts';
import { encodeNode } from './encode-node.ts';
import { nodeMessage } from './node-message.ts';

const hardware = {
  observedAt: 1_000,
  machine: { hostname: 'n1', serial: 'S1' },
  cpus: [{ id: '0', vendor: 'AuthenticAMD', model: 'EPYC', cores: 32, threads: 64 }],
  memoryModules: [{ sizeBytes: 2 ** 35 }],
  disks: [{ name: 'nvme0n1', kind: 'nvme' as const, sizeBytes: 10 ** 12 }],
  nics: [{ name: 'eth0', mac: '00:00:00:00:00:01' }],
  architecture: 'amd64',
  memoryBytes: 2 ** 39,
  problems: ['nvidia-smi was not found'],
  agentVersion: '0.1.0',
};

describe('encodeNode', () => {
  it('gives the bytes of the message, hardware included', () => {
    const node = nodeInventory('n1', { gpus: [gpuGroup()], devices: [gpuDevice('GPU-1')], hardware });
    expect(fromBinary(NodeSchema, encodeNode(node))).toEqual(nodeMessage(node));
  });

  it('writes every amount, time and utilization as the message has it', () => {
    const whole = fc.oneof(fc.maxSafeNat(), fc.nat(300), fc.constantFrom(0, 127, 128, 2 ** 28 - 1, 2 ** 28, 2 ** 31, 2 ** 35, 2 ** 49));
    const anyAmount = fc.tuple(whole, whole, whole).map(([capacity, allocatable, allocated]) => amount(capacity, allocatable, allocated));
    const anyNode = fc.record({
      cpu: anyAmount,
      memory: anyAmount,
      ephemeralStorage: anyAmount,
      ram: whole,
      pods: whole,
      observedAt: fc.nat(2 ** 31 * 1000),
      utilization: fc.record({ cpuMillis: whole, memoryBytes: whole, observedAt: fc.nat(2 ** 31 * 1000) }),
    });
    fc.assert(
      fc.property(anyNode, (over) => {
        const node = nodeInventory('n1', over);
        expect(fromBinary(NodeSchema, encodeNode(node))).toEqual(nodeMessage(node));
      }),
    );
  });

  it('encodes anew whatever part of a node is another one, though it has the same devices', () => {
    const devices = [gpuDevice('GPU-1')];
    const reason = { code: 'Cordoned', message: 'The node is cordoned.' };
    const states = [
      nodeInventory('n1', { devices }),
      nodeInventory('n2', { devices }),
      nodeInventory('n2', { devices, uid: 'other' }),
      nodeInventory('n2', { devices, sellability: { state: 'held-back', reasons: [reason] } }),
      nodeInventory('n2', { devices, gpus: [gpuGroup()] }),
      nodeInventory('n2', { devices, extended: new Map([['hugepages-2Mi', amount(4, 4, 1)]]) }),
      nodeInventory('n2', { devices, storageClasses: ['beta2'] }),
      nodeInventory('n2', { devices, conditions: [reason] }),
      nodeInventory('n2', { devices, stale: [{ source: 'kubelet', lastContactAt: 1_000, reason: 'it is silent' }] }),
      nodeInventory('n2', { devices, nvlinkDomain: 'rack-7.1', toleratedTaints: [{ key: 'gpu', value: '', effect: 'NoSchedule' }] }),
      nodeInventory('n2', { devices, podLimit: 110 }),
      nodeInventory('n2', { devices, podLimit: 0 }),
      nodeInventory('n2', { devices, hardware }),
    ];
    for (const node of states) expect(fromBinary(NodeSchema, encodeNode(node))).toEqual(nodeMessage(node));
  });

  it('refuses an amount that is no whole number, and encodes the next node as if nothing had happened', () => {
    const node = nodeInventory('n1', { hardware });
    for (const pods of [-1, 0.5, Number.NaN, 2 ** 53]) expect(() => encodeNode({ ...node, pods })).toThrow(RangeError);
    expect(fromBinary(NodeSchema, encodeNode(node))).toEqual(nodeMessage(node));
  });

  it('gives later states of a node the same hardware', () => {
    const later = nodeInventory('n1', { hardware, pods: 7 });
    encodeNode(nodeInventory('n1', { hardware }));
    expect(fromBinary(NodeSchema, encodeNode(later))).toEqual(nodeMessage(later));
  });
});
