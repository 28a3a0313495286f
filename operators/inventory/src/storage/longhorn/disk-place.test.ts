import type { FilesystemFacts } from '@quartermaster/api/node-hardware';
import { describe, expect, it } from 'vitest';
import { bytesBeside, type LocalVolumes } from '../local/local-view.ts';
import type { Place } from '../local/place-on-node.ts';
import { readLocalClass } from '../local/read-local-class.ts';
import { untoldInEphemeral, volumesInEphemeral } from '../local/volumes-in-ephemeral.ts';
import { diskPlaces, replicasInFolders, unknownDisks } from './disk-place.ts';
import { type LonghornNodeFacts, nodeFacts } from './longhorn-disks.ts';
import type { LonghornDiskSpec } from './longhorn-kinds.ts';
import { readLonghornClass } from './read-longhorn-class.ts';

const gib = 2 ** 30;

/** A node with one disk that is closed to new replicas, holds 40 GiB of them, and is 100 GiB as is the ephemeral storage. */
function nodeWith(disk: LonghornDiskSpec = {}, maximumGib = 100): LonghornNodeFacts {
  return nodeFacts({
    metadata: { name: 'a' },
    spec: { allowScheduling: true, disks: { d: { path: '/var/lib/longhorn/', diskType: 'filesystem', allowScheduling: false, ...disk } } },
    status: { diskStatus: { d: { storageMaximum: maximumGib * gib, storageScheduled: 40 * gib } } },
  });
}

const at = (path: string, device: string, changes: Partial<FilesystemFacts> = {}): FilesystemFacts => ({
  path,
  device,
  sizeBytes: 100 * gib,
  ...changes,
});
const kubelet = at('/var/lib/kubelet', '8:1', { holdsEphemeral: true });

const placesWith = (reported?: readonly FilesystemFacts[], ephemeralSize: string | undefined = '100Gi') =>
  diskPlaces([{ name: 'a', labels: {}, ephemeralSize }], () => reported);

function placeOf(node: LonghornNodeFacts, ...given: Parameters<typeof placesWith>): string | undefined {
  const [disk] = node.allDisks;
  return disk && wordOf(placesWith(...given)(node.name, disk));
}

function wordOf({ isCertain, inEphemeral, isMeasured, devices }: Place): string {
  if (!isCertain) return 'unknown';
  if (inEphemeral) return 'shared';
  return isMeasured && devices.size > 0 ? 'apart' : 'own';
}

describe('a disk of Longhorn', () => {
  it('is in the ephemeral storage of its node or not, by the filesystem on which the agent finds its path', () => {
    expect(placeOf(nodeWith(), [kubelet, at('/var/lib/longhorn', '8:1')])).toBe('shared');
    expect(placeOf(nodeWith(), [kubelet, at('/var/lib/longhorn', '8:2')])).toBe('apart');
    // A quota makes the same filesystem look smaller.
    expect(placeOf(nodeWith({}, 60), [kubelet, at('/var/lib/longhorn', '8:1')])).toBe('shared');
  });

  it('is where the nearest folder around it is that the agent measures, whatever its size', () => {
    const under = nodeWith({ path: '/data/longhorn' }, 4100);
    expect(placeOf(under, [kubelet, at('/data', '8:2', { sizeBytes: 4000 * gib })])).toBe('apart');
    expect(placeOf(under, [kubelet, at('/data', '8:1')])).toBe('shared');
    expect(placeOf(nodeWith({ path: '/data/longhorn' }, 0), [kubelet, at('/data', '8:2')])).toBe('apart');
  });

  it('is elsewhere when nobody measures its path and it has another size, or when it is a device', () => {
    expect(placeOf(nodeWith({ path: '/mnt/disk' }, 60), [kubelet])).toBe('own');
    expect(placeOf(nodeWith({}, 60))).toBe('own');
    expect(placeOf(nodeWith({ path: '/dev/sdb', diskType: 'block' }))).toBe('own');
    // The kubelet tells its size once, when it starts; the agent measures it.
    expect(placeOf(nodeWith({ path: '/mnt/disk' }), [{ ...kubelet, sizeBytes: 200 * gib }])).toBe('own');
  });

  it('is unknown when neither tells, which is said', () => {
    expect(placeOf(nodeWith())).toBe('unknown');
    // The kubelet tells its size once, when it starts: the filesystem may have been grown since. An agent would see that.
    for (const path of ['/var/lib/longhorn', '/var/lib/harvester/defaultdisk', '/mnt/disk']) {
      expect(placeOf(nodeWith({ path }, 200))).toBe('unknown');
      expect(placeOf(nodeWith({ path }, 200), [kubelet])).toBe('own');
    }
    expect(placeOf(nodeWith({}, 200), [at('/data', '8:2')])).toBe('unknown');
    expect(placeOf(nodeWith({ path: '/mnt/disk' }, 4000), [kubelet, at('/data', '8:2', { sizeBytes: 4000 * gib })])).toBe('unknown');
    expect(placeOf(nodeWith({ path: '/mnt/disk' }), [kubelet, at('/var/lib/longhorn', '8:2')])).toBe('unknown');
    expect(placeOf(nodeWith({ path: '/mnt/disk' }, 0), [kubelet])).toBe('unknown');
    expect(placeOf(nodeWith(), [at('/var/lib/longhorn', '8:2')])).toBe('unknown');
    const [told, ...more] = unknownDisks([nodeWith({ path: '/mnt/disk' })], placesWith([kubelet]));
    expect(more).toEqual([]);
    expect(told).toMatchObject({ source: 'longhorn-filesystems', lastContactAt: undefined });
    expect(told?.reason).toContain('whether /mnt/disk of a is in the ephemeral storage of its node');
    expect(unknownDisks([nodeWith()], placesWith([kubelet, at('/var/lib/longhorn', '8:2')]))).toEqual([]);
  });

  it('is where it was, or may be anywhere, while it is not ready and Longhorn tells neither its size nor its replicas', () => {
    const [disk] = nodeWith({}, 0).allDisks;
    const placed = (reported?: readonly FilesystemFacts[]) => disk && wordOf(placesWith(reported)('a', { ...disk, scheduledBytes: 0 }));
    expect(placed([kubelet, at('/var/lib/longhorn', '8:1')])).toBe('shared');
    expect(placed([kubelet, at('/var/lib/longhorn', '8:2')])).toBe('apart');
    expect(placed()).toBe('unknown');
  });

  it('is where the agent says on what tells no size of its ephemeral storage, or is no node of the cluster, and elsewhere without an agent', () => {
    const [disk] = nodeWith().allDisks;
    for (const nodes of [[], [{ name: 'a', labels: {} }]]) {
      const placed = (reported?: readonly FilesystemFacts[]) => disk && wordOf(diskPlaces(nodes, () => reported)('a', disk));
      expect(placed([kubelet, at('/var/lib/longhorn', '8:1')])).toBe('shared');
      expect(placed([kubelet, at('/var/lib/longhorn', '8:2')])).toBe('apart');
      expect(placed()).toBe('own');
    }
  });

  it('is placed anew when another report, or another size, is there', () => {
    const [disk] = nodeWith().allDisks;
    const placed = (device: string) =>
      disk && wordOf(diskPlaces([{ name: 'a', labels: {} }], () => [kubelet, at('/var/lib/longhorn', device)])('a', disk));
    expect([placed('8:1'), placed('8:2')]).toEqual(['shared', 'apart']);
    const sized = (ephemeralSize: string) => disk && wordOf(placesWith(undefined, ephemeralSize)('a', disk));
    expect([sized('100Gi'), sized('200Gi')]).toEqual(['unknown', 'own']);
    const reported = [kubelet];
    const again = () => disk && placesWith(reported)('a', disk);
    expect(again()).toBe(again());
  });
});

describe('replicas of Longhorn', () => {
  const classFacts = { name: 'local-path', provisioner: 'rancher.io/local-path', parameters: {}, labels: {}, annotations: {} };
  const viewWith = (node: LonghornNodeFacts, reported?: readonly FilesystemFacts[]) => {
    const replicas = replicasInFolders([node], placesWith(reported));
    return {
      nodes: ['a'],
      filesystemsOf: () => reported,
      placesOf: () => ({ kind: 'own', paths: ['/opt/local-path-provisioner'] }) as const,
      volumes: Map.groupBy(
        replicas.map((each) => ({ ...each, className: '' })),
        ({ node: name }) => name,
      ),
      unread: new Set<string>(),
      observedAt: 9,
    };
  };

  it('are held back from pods where their disk is, or may be, in the ephemeral storage, also of a disk that is closed', () => {
    const heldGib = (...given: Parameters<typeof viewWith>) => (volumesInEphemeral(viewWith(...given)).get('a') ?? 0) / gib;
    expect(heldGib(nodeWith(), [kubelet, at('/var/lib/longhorn', '8:1')])).toBe(40);
    expect(heldGib(nodeWith())).toBe(40);
    expect(heldGib(nodeWith(), [kubelet, at('/var/lib/longhorn', '8:2')])).toBe(0);
    expect(heldGib(nodeWith({ path: '/mnt/disk' }, 4000))).toBe(40);
    expect(heldGib(nodeWith({ path: '/mnt/disk' }, 60))).toBe(0);
  });

  it('are unknown on a disk that is not ready, and nothing is sold where it is', () => {
    const node = nodeFacts({
      metadata: { name: 'a' },
      spec: { disks: { d: { path: '/var/lib/longhorn' } } },
      status: { diskStatus: { d: {} } },
    });
    const untold = (device: string) => viewWith(node, [kubelet, at('/opt/local-path-provisioner', '8:1'), at('/var/lib/longhorn', device)]);
    expect([...untoldInEphemeral(untold('8:1'))]).toEqual(['a']);
    expect(readLocalClass(classFacts, untold('8:1'))).toMatchObject({ known: false, reason: { code: 'CapacityUnknown' } });
    expect([...untoldInEphemeral(untold('8:2'))]).toEqual([]);
    expect(readLocalClass(classFacts, untold('8:2'))).toMatchObject({ amount: { available: 100 * gib }, silentNodes: [] });
    expect(unknownDisks([node], placesWith([kubelet, at('/var/lib/longhorn', '8:2')]))).toMatchObject([{ source: 'longhorn-disks' }]);
    expect([...untoldInEphemeral(viewWith(nodeWith()))]).toEqual([]);
  });

  it('are not sold to a node-local class on the same filesystem, and what they wrote does not count as its volumes', () => {
    const written = { usedBytes: 30 * gib, folderBytes: 0 };
    const reported = [
      kubelet,
      at('/opt/local-path-provisioner', '8:1', written),
      at('/var/lib/longhorn', '8:1', { ...written, folderBytes: 10 * gib }),
    ];
    // 100 − 40 that replicas were promised − 20 that is written and not theirs.
    expect(readLocalClass(classFacts, viewWith(nodeWith(), reported))).toMatchObject({ amount: { available: 40 * gib } });
  });
});

describe('a disk of Longhorn and a node-local class', () => {
  const local = { name: 'local-path', provisioner: 'rancher.io/local-path', parameters: {}, labels: {}, annotations: {} };
  const replicated = { ...local, name: 'longhorn', provisioner: 'driver.longhorn.io', parameters: { numberOfReplicas: '1' } };
  const ready = ['Ready', 'Schedulable'].map((type) => ({ type, status: 'True' }));
  interface Disk {
    readonly path: string;
    readonly sizeGib: number;
    readonly scheduledGib: number;
    readonly isClosed?: boolean;
  }
  const nodeOf = (...disks: readonly Disk[]): LonghornNodeFacts =>
    nodeFacts({
      metadata: { name: 'a' },
      spec: {
        allowScheduling: true,
        disks: Object.fromEntries(
          disks.map(({ path, isClosed }, i) => [i, { path, diskType: 'filesystem', allowScheduling: isClosed !== true }]),
        ),
      },
      status: {
        conditions: ready,
        diskStatus: Object.fromEntries(
          disks.map(({ sizeGib, scheduledGib }, i) => {
            const sizes = { storageMaximum: sizeGib * gib, storageAvailable: sizeGib * gib, storageScheduled: scheduledGib * gib };
            return [i, { ...sizes, conditions: ready }];
          }),
        ),
      },
    });
  const dataDisk = (path: string, scheduledGib: number, sizeGib = 4000): LonghornNodeFacts => nodeOf({ path, sizeGib, scheduledGib });

  interface Beside {
    readonly localGib: number;
    /** Where the volumes are; on all nodes where it is shared. */
    readonly folder?: string;
    readonly isShared?: boolean;
    readonly podsGib?: number;
    readonly ephemeralSize?: string | undefined;
  }

  /** GiB that each may still promise, and what of volumes and replicas is held back from pods. */
  function leftOf(node: LonghornNodeFacts, reported: readonly FilesystemFacts[] | undefined, beside: Beside) {
    const { localGib, folder = '/data/volumes', isShared = false, podsGib = 0 } = beside;
    const ephemeralSize = 'ephemeralSize' in beside ? beside.ephemeralSize : '100Gi';
    const placed = diskPlaces([{ name: 'a', labels: {}, ephemeralSize }], () => reported);
    const volumes = [{ className: local.name, storageClass: local, folder, bytes: localGib * gib, node: isShared ? '' : 'a' }];
    const replicas = replicasInFolders([node], placed).map((each) => ({ ...each, className: '' }));
    const viewOf = (all: readonly (LocalVolumes & { readonly node: string })[]) => ({
      nodes: ['a'],
      filesystemsOf: () => reported,
      placesOf: () => ({ kind: 'own', paths: [folder] }) as const,
      volumes: Map.groupBy(all, (each) => each.node),
      unread: new Set<string>(),
      observedAt: 9,
    });
    const all = viewOf([...volumes, ...replicas]);
    const ofLocal = readLocalClass(local, all);
    const ofLonghorn = readLonghornClass(replicated, {
      nodes: [node],
      placeOf: placed,
      localBytes: (name, place) => bytesBeside(name, place, viewOf(volumes)),
      missingBytes: 0,
      settings: new Map(),
      promisedBytes: 0,
      places: [],
      waitingBytes: 0,
      unread: new Set(),
      observedAt: 9,
    });
    const held = volumesInEphemeral(all).get('a') ?? 0;
    const figures = ofLonghorn.known ? (ofLonghorn.beside?.(() => podsGib * gib + held) ?? ofLonghorn) : undefined;
    return {
      local: ofLocal.known && ofLocal.amount.available / gib,
      longhorn: figures?.amount && figures.amount.available / gib,
      held: held / gib,
    };
  }

  const data = { sizeBytes: 4000 * gib };
  const volumesFolder = at('/data/volumes', '8:2', data);
  const own = dataDisk('/mnt/disk', 0);

  const both = [kubelet, volumesFolder, at('/data/longhorn', '8:2', data)];

  it('do not sell the same space of a data disk twice where the agent measures both', () => {
    expect(leftOf(dataDisk('/data/longhorn', 0), both, { localGib: 3000 })).toEqual({ local: 1000, longhorn: 1000, held: 0 });
    expect(leftOf(dataDisk('/data/longhorn', 3000), both, { localGib: 0 })).toEqual({ local: 1000, longhorn: 1000, held: 0 });
    const apart = [kubelet, volumesFolder, at('/data/longhorn', '8:3', data)];
    expect(leftOf(dataDisk('/data/longhorn', 0), apart, { localGib: 3000 })).toEqual({ local: 1000, longhorn: 4000, held: 0 });
  });

  it('do not where the node tells no size of its ephemeral storage', () => {
    const untold = { ephemeralSize: undefined };
    expect(leftOf(dataDisk('/data/longhorn', 0), both, { localGib: 3000, ...untold })).toMatchObject({ local: 1000, longhorn: 1000 });
    expect(leftOf(dataDisk('/data/longhorn', 3000), both, { localGib: 0, ...untold })).toMatchObject({ local: 1000, longhorn: 1000 });
  });

  it('do not where nobody knows where the volumes, or either, are', () => {
    for (const reported of [[kubelet], undefined]) {
      expect(leftOf(dataDisk('/data/longhorn', 0), reported, { localGib: 3000 })).toMatchObject({ longhorn: 1000, held: 3000 });
      // Smaller than the ephemeral storage, so that it is elsewhere; and so may they be.
      expect(leftOf(dataDisk('/data/longhorn', 0, 90), reported, { localGib: 30 })).toMatchObject({ longhorn: 60, held: 30 });
    }
  });

  it('do not in folders of a filesystem that was grown since the agent measured it', () => {
    const grown = dataDisk('/data/longhorn', 0, 4100);
    expect(leftOf(grown, [kubelet, at('/data', '8:2', data)], { localGib: 3000 })).toMatchObject({ longhorn: 1100, held: 0 });
  });

  it('do not where it may be the same by its size, and pods lose nothing where theirs is another', () => {
    expect(leftOf(dataDisk('/mnt/disk', 3000), [kubelet, volumesFolder], { localGib: 0 })).toEqual({
      local: 1000,
      longhorn: 1000,
      held: 0,
    });
    expect(leftOf(own, [kubelet, volumesFolder], { localGib: 3000 })).toEqual({ local: 1000, longhorn: 1000, held: 0 });
    const larger = [kubelet, { ...volumesFolder, sizeBytes: 5000 * gib }];
    expect(leftOf(own, larger, { localGib: 3000 })).toEqual({ local: 2000, longhorn: 4000, held: 0 });
    const alike = [{ ...kubelet, ...data }, volumesFolder];
    expect(leftOf(dataDisk('/mnt/disk', 3000), alike, { localGib: 0 })).toEqual({ local: 1000, longhorn: 1000, held: 3000 });
  });

  it('take nothing from a disk that is measured by volumes of which nobody knows where they are', () => {
    const measured = [kubelet, at('/var/lib/longhorn', '8:2', data)];
    const nfs = { localGib: 3000, folder: '/mnt/nfs', isShared: true };
    expect(leftOf(dataDisk('/var/lib/longhorn', 0), measured, nfs)).toMatchObject({ longhorn: 4000, held: 3000 });
    // They do from pods, and so from a disk that is with those.
    const shared = [kubelet, at('/var/lib/longhorn', '8:1')];
    expect(leftOf(dataDisk('/var/lib/longhorn', 0, 100), shared, { ...nfs, localGib: 30 })).toMatchObject({ longhorn: 70, held: 30 });
  });

  it('leave to pods what they have beside a disk, whatever other disks of the node hold elsewhere', () => {
    const reported = [kubelet, at('/var/lib/longhorn', '8:1'), at('/data', '8:2', data)];
    const shared = { path: '/var/lib/longhorn', sizeGib: 100, scheduledGib: 0 };
    const notReady = { path: '/data/longhorn', sizeGib: 0, scheduledGib: 60, isClosed: true };
    expect(leftOf(nodeOf(shared), reported, { localGib: 0, podsGib: 60 })).toMatchObject({ longhorn: 40, held: 0 });
    expect(leftOf(nodeOf(shared, notReady), reported, { localGib: 0, podsGib: 60 })).toMatchObject({ longhorn: 40, held: 0 });
    // The grown root disk of a node without an agent.
    const grown = nodeOf({ path: '/var/lib/harvester/defaultdisk', sizeGib: 200, scheduledGib: 50 });
    expect(leftOf(grown, undefined, { localGib: 0, podsGib: 60 })).toMatchObject({ longhorn: 90, held: 50 });
  });
});
