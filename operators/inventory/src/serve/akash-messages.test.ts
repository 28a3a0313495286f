import { fromBinary, toBinary } from '@bufbuild/protobuf';
import { ClusterSchema } from '@quartermaster/api/akash-inventory';
import { describe, expect, it } from 'vitest';
import { gib, gpuGroup, nodeInventory, snapshotWith, storageInventory } from '../../test/inventory-values.ts';
import { amount } from '../model/amount.ts';
import type { InventorySnapshot } from '../model/snapshot.ts';
import { clusterJson } from './akash-json.ts';
import { akashCluster, akashNode, akashView, packedAkashCluster } from './akash-messages.ts';

const clusterOf = (snapshot: InventorySnapshot) => akashCluster(akashView(snapshot));

describe('the inventory as akash.inventory.v1', () => {
  it('leaves out nodes that are not for sale and classes that are not offered or unknown', () => {
    const reason = { code: 'Cordoned', message: 'cordoned' };
    const cluster = clusterOf(
      snapshotWith(
        [
          nodeInventory('a'),
          nodeInventory('b', { sellability: { state: 'held-back', reasons: [reason] } }),
          nodeInventory('c', { sellability: { state: 'unknown', reasons: [reason] } }),
        ],
        [storageInventory('beta2', { refusal: { code: 'NotListed', message: 'not listed' } }), storageInventory('beta3'), withoutAmount()],
      ),
    );
    expect(cluster.nodes.map((node) => node.name)).toEqual(['a']);
    expect(cluster.storage.map((each) => each.info?.class)).toEqual(['beta3']);
  });

  it('counts what is held back from sale as allocated, so that the difference is what is free', () => {
    const memory = { capacity: 64 * gib, allocatable: 60 * gib, allocated: 10 * gib, available: 46 * gib, overcommitted: 0 };
    const { resources } = akashNode(nodeInventory('a', { memory, ram: 4 * gib }));
    expect(resources?.memory?.quantity).toMatchObject({
      allocatable: { string: '60Gi' },
      allocated: { string: '14Gi' },
      capacity: { string: '64Gi' },
    });
  });

  it('writes quantities as Kubernetes does', () => {
    const { resources } = akashNode(nodeInventory('a', { cpu: amount(119_800, 119_800, 0), ephemeralStorage: amount(1001, 1000, 1) }));
    expect(resources?.cpu?.quantity).toMatchObject({ allocatable: { string: '119800m' }, allocated: { string: '0' } });
    expect(resources?.ephemeralStorage).toMatchObject({
      capacity: { string: '1001' },
      allocatable: { string: '1k' },
      allocated: { string: '1' },
    });
  });

  it('lists every card where all are alike, and only free ones where models are mixed', () => {
    const alike = akashNode(nodeInventory('a', { gpus: [gpuGroup({ amount: amount(8, 7, 3) })] }));
    expect(alike.resources?.gpu?.info).toHaveLength(7);
    expect(alike.resources?.gpu?.quantity).toMatchObject({
      capacity: { string: '8' },
      allocatable: { string: '7' },
      allocated: { string: '3' },
    });
    const t4 = gpuGroup({ model: 't4', modelId: '1eb8', interface: 'PCIe', memoryBytes: 16 * gib, amount: amount(2, 2, 2) });
    const mixed = akashNode(nodeInventory('b', { gpus: [t4, gpuGroup({ amount: amount(2, 2, 1) })] }));
    expect(mixed.resources?.gpu?.info.map((each) => each.name)).toEqual(['h100']);
    expect(mixed.resources?.gpu?.quantity).toMatchObject({ allocatable: { string: '4' }, allocated: { string: '3' } });
  });

  it('orders CPUs by vendor, id and model and fills the vendor id of GPUs', () => {
    const cpu = (id: string, vendor: string) => ({ id, vendor, model: 'm', cores: 8, threads: 16 });
    const hardware = {
      machine: {},
      cpus: [cpu('1', 'B'), cpu('0', 'B'), cpu('2', 'A')],
      memoryModules: [{ sizeBytes: 32 * gib, type: 'DDR5', speedMtps: 4800, manufacturer: 'Samsung' }],
      disks: [],
      nics: [],
    };
    const { resources } = akashNode(nodeInventory('a', { hardware, gpus: [gpuGroup({ amount: amount(1, 1, 0) })] }));
    expect(resources?.cpu?.info.map(({ vendor, id, vcores }) => [vendor, id, vcores])).toEqual([
      ['A', '2', 16],
      ['B', '0', 16],
      ['B', '1', 16],
    ]);
    expect(resources?.memory?.info).toMatchObject([{ vendor: 'Samsung', type: 'DDR5', totalSize: '32Gi', speed: '4800 MT/s' }]);
    expect(resources?.gpu?.info).toMatchObject([
      { vendor: 'nvidia', vendorId: '10de', name: 'h100', modelid: '2330', interface: 'SXM5', memorySize: '80Gi' },
    ]);
  });

  it('is the same on the wire when its nodes were encoded before', () => {
    const view = akashView(snapshotWith([nodeInventory('a', { gpus: [gpuGroup()] }), nodeInventory('b')], [storageInventory('beta3')]));
    const read = () => fromBinary(ClusterSchema, toBinary(ClusterSchema, packedAkashCluster(view)));
    expect(read()).toEqual(akashCluster(view));
    expect(read()).toEqual(akashCluster(view));
  });

  it('has exactly the keys in JSON that readers know', () => {
    const gpus = [
      gpuGroup({ vendorId: '10de', model: 't4', modelId: '1eb8', interface: 'PCIe', memoryBytes: 16 * gib, amount: amount(1, 1, 0) }),
    ];
    const hardware = {
      machine: {},
      cpus: [{ id: '0', vendor: 'GenuineIntel', model: 'Xeon', cores: 8, threads: 16 }],
      memoryModules: [],
      disks: [],
      nics: [],
    };
    const node = nodeInventory('n1', { gpus, hardware, storageClasses: ['beta2', 'default'] });
    expect(clusterJson(clusterOf(snapshotWith([node], [storageInventory('beta3')])))).toEqual({
      nodes: [
        {
          name: 'n1',
          resources: {
            cpu: {
              quantity: { allocatable: '16', allocated: '3051m', capacity: '16' },
              info: [{ id: '0', vendor: 'GenuineIntel', model: 'Xeon', vcores: 16 }],
            },
            memory: { quantity: { allocatable: '60Gi', allocated: '2Gi', capacity: '64Gi' }, info: null },
            gpu: {
              quantity: { allocatable: '1', allocated: '0', capacity: '1' },
              info: [{ vendor: 'nvidia', vendor_id: '10de', name: 't4', model_id: '1eb8', interface: 'PCIe', memory_size: '16Gi' }],
            },
            ephemeral_storage: { allocatable: '360Gi', allocated: '0', capacity: '400Gi' },
            volumes_attached: { allocatable: '0', allocated: '0', capacity: '0' },
            volumes_mounted: { allocatable: '0', allocated: '0', capacity: '0' },
          },
          capabilities: { storage_classes: ['beta2', 'default'] },
        },
      ],
      storage: [{ quantity: { allocatable: '1000Gi', allocated: '250Gi', capacity: '1000Gi' }, info: { class: 'beta3', iops: '' } }],
    });
  });
});

function withoutAmount() {
  const { amount: _unknown, ...rest } = storageInventory('beta1');
  return rest;
}
