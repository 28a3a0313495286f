import { fromBinary, toBinary } from '@bufbuild/protobuf';
import { DeltaSchema, DiskKind, GpuPartKind, GpuState, HolderSource, SnapshotSchema } from '@quartermaster/api/inventory';
import { describe, expect, it } from 'vitest';
import {
  gib,
  gpuDevice,
  gpuGroup,
  leasePod,
  leaseVolume,
  nodeInventory,
  snapshotWith,
  storageInventory,
} from '../../test/inventory-values.ts';
import { amount } from '../model/amount.ts';
import { nodeMessage } from './node-message.ts';
import { deltaMessage, snapshotMessage } from './snapshot-message.ts';

const rich = nodeInventory('n1', {
  sellability: { state: 'held-back', reasons: [{ code: 'Cordoned', message: 'cordoned', since: 1500 }] },
  gpus: [gpuGroup()],
  devices: [
    gpuDevice('GPU-1', {
      pciAddress: '0000:17:00.0',
      holder: { namespace: 'a', pod: 'b', podUid: 'c', source: 'kubelet' },
      utilization: 0,
      driverVersion: '580.1',
    }),
    gpuDevice('GPU-2', { state: 'quarantined', reason: { code: 'Xid', message: 'x' } }),
    gpuDevice('GPU-3', {
      parts: [
        { id: 'MIG-1', kind: 'mig', profile: '1g.10gb', memoryBytes: 10 * gib, holder: { namespace: 'a', pod: 'b', source: 'claim' } },
        { id: 'GPU-3::1', kind: 'share', profile: '', memoryBytes: 0 },
      ],
    }),
  ],
  extended: new Map([['hugepages-2Mi', amount(4, 4, 1)]]),
  hardware: {
    observedAt: 2000,
    machine: { serial: 's', kernel: '6.12' },
    cpus: [{ id: '0', vendor: 'AuthenticAMD', model: 'EPYC', cores: 64, threads: 128 }],
    memoryModules: [{ sizeBytes: 64 * gib, slot: 'A1' }],
    disks: [{ name: 'nvme0n1', kind: 'nvme', sizeBytes: 2 ** 43 }],
    nics: [{ name: 'eth0', mac: '00:11', speedMbps: 100_000, isUp: true }],
  },
  utilization: { cpuMillis: 10, memoryBytes: 20, observedAt: 3000 },
});

describe('messages of the inventory', () => {
  it('say which class claims get that name none, and where it shares the ephemeral storage', () => {
    const classes = [storageInventory('local', { isDefault: true, ephemeralNodes: ['n1'], replicasPerNode: 3 }), storageInventory('other')];
    expect(snapshotMessage(snapshotWith([], classes), 'open').storage).toMatchObject([
      { isDefault: true, ephemeralNodes: ['n1'], replicasPerNode: 3 },
      { isDefault: false, ephemeralNodes: [] },
    ]);
  });

  it('say everything that is known of a node, and nothing that is not', () => {
    const message = nodeMessage(rich);
    expect(message).toMatchObject({
      reasons: [{ code: 'Cordoned', since: { seconds: 1n, nanos: 500_000_000 } }],
      devices: [
        { state: GpuState.HEALTHY, pciAddress: '0000:17:00.0', utilization: 0, holder: { podUid: 'c', source: HolderSource.KUBELET } },
        { state: GpuState.QUARANTINED, reason: { code: 'Xid' } },
        {
          parts: [
            {
              id: 'MIG-1',
              kind: GpuPartKind.MIG,
              profile: '1g.10gb',
              memoryBytes: 10n * 2n ** 30n,
              holder: { pod: 'b', source: HolderSource.CLAIM },
            },
            { id: 'GPU-3::1', kind: GpuPartKind.SHARE },
          ],
        },
      ],
      extended: { 'hugepages-2Mi': { available: 3n } },
      hardware: { machine: { serial: 's' }, disks: [{ kind: DiskKind.NVME, sizeBytes: 2n ** 43n }], nics: [{ isUp: true }] },
      utilization: { memoryBytes: 20n },
    });
    expect(message.devices[1]?.holder).toBeUndefined();
    expect(message.devices[1]?.utilization).toBeUndefined();
    expect(message.hardware?.machine?.hostname).toBeUndefined();
    expect(nodeMessage(nodeInventory('n2')).hardware?.observedAt).toBeUndefined();
  });

  it('are the same on the wire when their nodes were encoded before', () => {
    const perNode = new Map([['n1', amount(1, 1, 0)]]);
    const leasePods = [
      leasePod('a', {
        requests: { cpuMillis: 500, memoryBytes: 2 ** 53 - 1, ephemeralStorageBytes: 9, extended: new Map([['nvidia.com/gpu', 2]]) },
        ramBytes: 300,
        devices: ['GPU-1', 'MIG-1'],
      }),
      leasePod('b', { namespaceUid: undefined, leaseLabels: { 'akash.network/lease.a': '', 'akash.network/lease.b': 'ü€'.repeat(60) } }),
    ];
    const classes = [storageInventory('beta3', { perNode }), storageInventory('local')];
    const leaseVolumes = [
      leaseVolume('c', { bytes: 2 ** 53 - 1, requestedBytes: 9 }),
      leaseVolume('d', { namespaceUid: undefined, node: 'n1' }),
    ];
    const snapshot = { ...snapshotWith([rich, nodeInventory('n2')], classes), leasePods, leaseVolumes };
    const read = () => fromBinary(SnapshotSchema, toBinary(SnapshotSchema, snapshotMessage(snapshot, 'packed')));
    expect(read()).toEqual(snapshotMessage(snapshot, 'open'));
    expect(read()).toEqual(snapshotMessage(snapshot, 'open'));
    expect(read().leasePods).toMatchObject([{ service: 'web', leaseLabels: { 'akash.network/lease.id.dseq': '7' } }, { service: '' }]);
    expect(read().leasePods.map(({ namespaceUid }) => namespaceUid)).toEqual(['uid-of-lease-1', undefined]);
    expect(read().leaseVolumes).toMatchObject([
      {
        uid: 'c',
        namespace: 'lease-1',
        namespaceUid: 'uid-of-lease-1',
        name: 'data-c',
        storageClass: 'beta2',
        bytes: 2n ** 53n - 1n,
        requestedBytes: 9n,
      },
      { uid: 'd', bytes: BigInt(gib), node: 'n1' },
    ]);
    expect(read().leaseVolumes[1]?.namespaceUid).toBeUndefined();
    const { clusterId, generation, observedAt, completeness, nodes, storage, totals } = snapshot;
    const delta = {
      clusterId,
      from: generation,
      to: generation,
      observedAt,
      completeness,
      nodes,
      storage,
      totals,
      removedNodes: ['x'],
      removedStorage: [],
      leasePods,
      removedLeasePods: ['y'],
      leaseVolumes,
      removedLeaseVolumes: ['z'],
    };
    expect(fromBinary(DeltaSchema, toBinary(DeltaSchema, deltaMessage(delta, 'packed')))).toEqual(deltaMessage(delta, 'open'));
  });
});
