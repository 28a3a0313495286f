import { describe, expect, it } from 'vitest';
import type { StorageClassFacts, StorageReading } from '../../model/storage-inventory.ts';
import { nowhere } from '../local/place-on-node.ts';
import { missingReplicaBytes, nodeFacts, volumeFacts } from './longhorn-disks.ts';
import type { LonghornDiskSpec, LonghornDiskStatus, LonghornNode } from './longhorn-kinds.ts';
import { type LonghornView, readLonghornClass } from './read-longhorn-class.ts';

const gib = 2 ** 30;

const longhornClass = (parameters: Record<string, string> = {}): StorageClassFacts => ({
  name: 'replicated',
  provisioner: 'driver.longhorn.io',
  parameters: { numberOfReplicas: '2', staleReplicaTimeout: '30', fsType: 'ext4', ...parameters },
  labels: {},
  annotations: {},
});

interface Disk {
  readonly spec?: LonghornDiskSpec;
  readonly status?: LonghornDiskStatus;
}

const ready = [
  { type: 'Ready', status: 'True' },
  { type: 'Schedulable', status: 'True' },
];

/** Sizes in GiB: 100, of which nothing is reserved or scheduled. */
function node(
  name: string,
  disk: Disk = {},
  changes: Partial<NonNullable<LonghornNode['spec']>> = {},
  conditions = ready,
  zone = '',
): LonghornNode {
  const status = { storageMaximum: 100 * gib, storageAvailable: 100 * gib, storageScheduled: 0, conditions: ready, ...disk.status };
  return {
    metadata: { namespace: 'longhorn-system', name },
    spec: {
      allowScheduling: true,
      disks: { default: { allowScheduling: true, storageReserved: 0, diskType: 'filesystem', ...disk.spec } },
      ...changes,
    },
    status: { conditions, diskStatus: { default: status }, zone },
  };
}

function read(
  nodes: readonly LonghornNode[],
  parameters: Record<string, string> = {},
  changes: Partial<LonghornView> = {},
): StorageReading {
  return readLonghornClass(longhornClass(parameters), {
    nodes: nodes.map(nodeFacts),
    placeOf: () => nowhere,
    localBytes: () => 0,
    settings: new Map(),
    promisedBytes: 0,
    places: [],
    waitingBytes: 0,
    missingBytes: 0,
    unread: new Set(),
    observedAt: 5,
    ...changes,
  });
}

const inGib = (reading: StorageReading): Record<string, number> | string =>
  reading.known
    ? Object.fromEntries(Object.entries(reading.amount).map(([key, bytes]) => [key, Number(bytes) / gib]))
    : reading.reason.code;

describe('a class of Longhorn', () => {
  it('has half of what the nodes hold for two replicas, by the formula of Longhorn', () => {
    // (100 − 20) × 150 / 100 − 60 = 60 on each of three nodes: 90 in two replicas, besides the 75 that are promised.
    const disk = { spec: { storageReserved: 20 * gib }, status: { storageScheduled: 60 * gib, storageAvailable: 50 * gib } };
    const settings = new Map([['storage-over-provisioning-percentage', '150']]);
    const reading = read([node('a', disk), node('b', disk), node('c', disk)], {}, { settings, promisedBytes: 75 * gib });
    expect(inGib(reading)).toEqual({ capacity: 180, allocatable: 165, allocated: 75, available: 90, overcommitted: 0 });
    expect(reading).toMatchObject({ replicas: 2, observedAt: 5, largestVolumeBytes: 60 * gib });
  });

  it('reads settings that have a value for each data engine', () => {
    const settings = new Map([
      ['storage-over-provisioning-percentage', '{"v1":"200","v2":"50"}'],
      ['default-replica-count', '{"v1":"1","v2":"2"}'],
    ]);
    const nodes = [node('a'), node('b', { spec: { diskType: 'block' } })];
    expect(inGib(read(nodes, { numberOfReplicas: '' }, { settings }))).toMatchObject({ available: 200 });
    expect(inGib(read(nodes, { numberOfReplicas: '1', dataEngine: 'v2' }, { settings }))).toMatchObject({ available: 50 });
  });

  it('takes nothing more on a disk on which too little is physically free', () => {
    const low = node('a', { status: { storageAvailable: 25 * gib } });
    expect(inGib(read([low, node('b'), node('c')]))).toMatchObject({ available: 100 });
    expect(inGib(read([low, node('b')]))).toMatchObject({ available: 0 });
  });

  const notReady = [{ type: 'Ready', status: 'False' }];
  const cordoned = [
    { type: 'Ready', status: 'True' },
    { type: 'Schedulable', status: 'False' },
  ];
  const closed = [
    node('b', { spec: { allowScheduling: false } }),
    node('c', { spec: { evictionRequested: true } }),
    node('d', { status: { conditions: notReady } }),
    node('e', { status: { conditions: cordoned } }),
    node('f', {}, { allowScheduling: false }),
    node('g', {}, { evictionRequested: true }),
    node('h', {}, {}, notReady),
    node('i', {}, {}, cordoned),
  ];
  const inEphemeral = { placeOf: () => ({ ...nowhere, inEphemeral: true }) };

  it('leaves out nodes and disks that take no replicas', () => {
    expect(inGib(read([node('a'), ...closed], { numberOfReplicas: '1' }))).toMatchObject({ capacity: 100, available: 100 });
    expect(read(closed)).toMatchObject({ amount: { available: 0 }, refusal: { code: 'PoolMissing' } });
  });

  it('may come to lie in the ephemeral storage of nodes that take no replicas now, or cannot be read, too', () => {
    const other = node('other', { spec: { tags: ['slow'] } });
    const tagged = closed.map((each) => ({ ...each, spec: { ...each.spec, tags: ['storage'] } }));
    const nodes = [node('a', {}, { tags: ['storage'] }), ...tagged, other];
    const changes = { ...inEphemeral, unread: new Set(['j']) };
    const reading = read(nodes, { nodeSelector: 'storage' }, changes);
    // Not of those that a person has closed, or empties.
    expect(reading).toMatchObject({ ephemeralNodes: ['a', 'd', 'e', 'h', 'i', 'j'] });
    expect(reading.known && reading.beside?.(() => 40 * gib)).toMatchObject({ amount: { available: 0 } });
    expect(read(nodes, { numberOfReplicas: '1', diskSelector: 'slow' }, inEphemeral)).toMatchObject({ ephemeralNodes: ['other'] });
  });

  it('keeps what is known of it while nothing of it takes replicas', () => {
    const nvme = closed.map((each) => ({
      ...each,
      spec: { ...each.spec, disks: { default: { ...each.spec?.disks?.['default'], tags: ['nvme'] } } },
    }));
    const reading = read(nvme, {}, { ...inEphemeral, promisedBytes: 30 * gib, places: ['here'] });
    expect(inGib(reading)).toMatchObject({ allocated: 30, available: 0, overcommitted: 0 });
    expect(reading).toMatchObject({ replicas: 2, performance: 'beta3', ephemeralNodes: ['d', 'e', 'h', 'i'] });
    expect(reading.known && [...reading.counted]).toEqual([['here', '']]);
    // Of what could not be read, nobody can say that it takes none.
    expect(read(closed, {}, { unread: new Set(['j']) })).toMatchObject({ refusal: { code: 'CapacityUnknown' } });
  });

  it('has the performance of all its disks, whether or not they take replicas now, but for those that a person has closed', () => {
    const nodes = [node('a', { spec: { tags: ['nvme'] } }), node('b', { spec: { tags: ['hdd'] }, status: { conditions: cordoned } })];
    expect(read(nodes)).toMatchObject({ performance: undefined });
    const shut = node('b', { spec: { tags: ['hdd'], allowScheduling: false } });
    expect(read([...nodes.slice(0, 1), shut])).toMatchObject({ performance: 'beta3' });
    expect(read([shut])).toMatchObject({ performance: 'beta1' });
  });

  it('counts only what its selectors select', () => {
    const fast = { spec: { tags: ['nvme', 'fast'] } };
    const nodes = [node('a', fast, { tags: ['storage'] }), node('b', fast), node('c', {}, { tags: ['storage'] })];
    expect(inGib(read(nodes, { numberOfReplicas: '1', diskSelector: 'nvme, fast' }))).toMatchObject({ capacity: 200 });
    expect(inGib(read(nodes, { numberOfReplicas: '1', diskSelector: 'nvme', nodeSelector: 'storage' }))).toMatchObject({ capacity: 100 });
    expect(inGib(read(nodes, { diskSelector: 'slow' }))).toBe('PoolMissing');
    expect(read(nodes, { diskSelector: 'nvme' })).toMatchObject({ performance: 'beta3' });
    expect(read(nodes)).toMatchObject({ performance: undefined });
  });

  it('lets replicas share a node only where the setting or the class says so, and never a zone that must differ', () => {
    expect(inGib(read([node('a')]))).toMatchObject({ available: 0 });
    const soft = new Map([['replica-soft-anti-affinity', 'true']]);
    expect(inGib(read([node('a')], {}, { settings: soft }))).toMatchObject({ available: 50 });
    expect(inGib(read([node('a')], { replicaSoftAntiAffinity: 'enabled' }))).toMatchObject({ available: 50 });
    expect(inGib(read([node('a')], { replicaSoftAntiAffinity: 'disabled' }, { settings: soft }))).toMatchObject({ available: 0 });
    const zones = [node('a', {}, {}, ready, 'z1'), node('b', {}, {}, ready, 'z1'), node('c', {}, {}, ready, 'z2')];
    expect(inGib(read(zones))).toMatchObject({ available: 150 });
    const apart = new Map([['replica-zone-soft-anti-affinity', 'false']]);
    expect(inGib(read(zones, {}, { settings: apart }))).toMatchObject({ available: 100 });
    expect(inGib(read(zones, { replicaZoneSoftAntiAffinity: 'disabled' }))).toMatchObject({ available: 100 });
    expect(read(zones, {}, { settings: new Map([...apart, ...soft]) })).toMatchObject({
      amount: { available: 100 * gib },
      replicasPerNode: undefined,
    });
    // Longhorn takes nodes without a zone for one zone.
    expect(inGib(read([node('a'), node('b')], {}, { settings: apart }))).toMatchObject({ available: 0 });
  });

  it('lets replicas share a disk, too, where it lets them share a node, unless the setting or the class forbids that', () => {
    const soft = new Map([['replica-soft-anti-affinity', 'true']]);
    const apart = new Map([...soft, ['replica-disk-soft-anti-affinity', 'false']]);
    const small = node('c', { status: { storageScheduled: 70 * gib } });
    const figures = (nodes: LonghornNode[], settings: Map<string, string>, parameters: Record<string, string> = {}) => {
      const reading = read(nodes, { numberOfReplicas: '3', ...parameters }, { settings });
      return reading.known && [reading.amount.available / gib, (reading.largestVolumeBytes ?? 0) / gib, reading.replicasPerNode];
    };
    expect(figures([node('a')], soft)).toEqual([Math.floor((100 * gib) / 3) / gib, Math.floor((100 * gib) / 3) / gib, 3]);
    expect(figures([node('a'), small], soft)).toEqual([Math.floor((130 * gib) / 3) / gib, Math.floor((100 * gib) / 3) / gib, 3]);
    expect(figures([node('a'), node('b')], soft)).toEqual([Math.floor((200 * gib) / 3) / gib, 50, 3]);
    expect(figures([node('a'), node('b')], apart)).toEqual([0, 0, 3]);
    expect(figures([node('a'), node('b'), small], apart)).toEqual([30, 30, 3]);
    expect(figures([node('a'), node('b'), small], soft, { replicaDiskSoftAntiAffinity: 'disabled' })).toEqual([30, 30, 3]);
    expect(figures([node('a'), node('b'), small], new Map())).toEqual([30, 30, undefined]);
  });

  it('shows what is promised beyond the limit and is never negative', () => {
    const over = node('a', { status: { storageScheduled: 130 * gib } });
    const reading = read([over, node('b', { status: { storageScheduled: 130 * gib } })], {}, { promisedBytes: 130 * gib });
    expect(inGib(reading)).toEqual({ capacity: 100, allocatable: 100, allocated: 130, available: 0, overcommitted: 30 });
    expect(inGib(read([node('a'), node('b')], {}, { waitingBytes: 140 * gib, promisedBytes: 140 * gib }))).toEqual({
      capacity: 100,
      allocatable: 100,
      allocated: 140,
      available: 0,
      overcommitted: 40,
    });
  });

  it('has less room by what others were promised in the ephemeral storage that holds its disks, beyond what is reserved for them', () => {
    const held = node('a', { spec: { storageReserved: 30 * gib }, status: { storageScheduled: 20 * gib } });
    const reading = read(
      [held, node('b')],
      { numberOfReplicas: '1' },
      { placeOf: (name) => ({ ...nowhere, inEphemeral: name === 'a' }), promisedBytes: 20 * gib },
    );
    const beside = (othersGib: number) => {
      const { amount: figures, largestVolumeBytes = 0 } = (reading.known && reading.beside?.(() => (20 + othersGib) * gib)) || {};
      return [figures && { ...figures, capacity: figures.capacity / gib, available: figures.available / gib }, largestVolumeBytes / gib];
    };
    expect(reading).toMatchObject({ ephemeralNodes: ['a'], amount: { available: 150 * gib } });
    expect(beside(30)).toMatchObject([{ capacity: 170, available: 150 }, 100]);
    expect(beside(70)).toMatchObject([{ capacity: 170, available: 110, overcommitted: 0 }, 100]);
    expect(beside(90)).toMatchObject([{ capacity: 170, available: 100, overcommitted: 0 }, 100]);
    expect(read([node('a')], { numberOfReplicas: '1' })).toMatchObject({ ephemeralNodes: [], beside: undefined });
  });

  it('keeps room for the replicas that a degraded or a new volume lacks', () => {
    const holder = node('a', { status: { storageScheduled: 30 * gib, scheduledReplica: { 'pvc-1-r-0a1b2c3d': 30 * gib } } });
    const spec = { size: String(30 * gib), numberOfReplicas: 2 };
    const volume = (robustness: string | undefined) =>
      volumeFacts({ metadata: { name: 'pvc-1' }, spec, status: robustness === undefined ? {} : { robustness } });
    expect(missingReplicaBytes([volume('degraded')], [nodeFacts(holder)])).toBe(30 * gib);
    expect(missingReplicaBytes([volume('healthy'), volume('faulted')], [nodeFacts(holder)])).toBe(0);
    // Until a new volume is attached, Longhorn cannot tell how it is; its nodes tell later of the replicas.
    for (const robustness of ['unknown', '', undefined])
      expect(missingReplicaBytes([volume(robustness)], [nodeFacts(node('a'))])).toBe(60 * gib);
    expect(inGib(read([holder, node('b')], {}, { missingBytes: 30 * gib, promisedBytes: 30 * gib }))).toMatchObject({ available: 55 });
  });
});
