import { fromBinary } from '@bufbuild/protobuf';
import { NodeSchema } from '@quartermaster/api/inventory';
import { describe, expect, it } from 'vitest';
import { gpuDevice, gpuGroup, nodeInventory } from '../../test/inventory-values.ts';
import { encodeNode } from './encode-node.ts';
import { nodeMessage } from './node-message.ts';

const hardware = {
  observedAt: 1_000,
  machine: { hostname: 'n1', serial: 'S1' },
  cpus: [{ id: '0', vendor: 'AuthenticAMD', model: 'EPYC', cores: 32, threads: 64 }],
  memoryModules: [{ sizeBytes: 2 ** 35 }],
  disks: [{ name: 'nvme0n1', kind: 'nvme' as const, sizeBytes: 10 ** 12 }],
  nics: [{ name: 'eth0', mac: '00:00:00:00:00:01' }],
};

describe('encodeNode', () => {
  it('gives the bytes of the message, hardware included', () => {
    const node = nodeInventory('n1', { gpus: [gpuGroup()], devices: [gpuDevice('GPU-1')], hardware });
    expect(fromBinary(NodeSchema, encodeNode(node))).toEqual(nodeMessage(node));
  });

  it('gives later states of a node the same hardware', () => {
    const later = nodeInventory('n1', { hardware, pods: 7 });
    encodeNode(nodeInventory('n1', { hardware }));
    expect(fromBinary(NodeSchema, encodeNode(later))).toEqual(nodeMessage(later));
  });
});
