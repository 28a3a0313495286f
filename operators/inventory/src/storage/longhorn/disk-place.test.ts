import type { FilesystemFacts } from '@quartermaster/api/node-hardware';
import { describe, expect, it } from 'vitest';
import { readLocalClass } from '../local/read-local-class.ts';
import { volumesInEphemeral } from '../local/volumes-in-ephemeral.ts';
import { type DiskPlace, diskPlaces, replicasInFolders, unknownPlaces } from './disk-place.ts';
import { type LonghornNodeFacts, nodeFacts } from './longhorn-disks.ts';
import type { LonghornDiskSpec } from './longhorn-kinds.ts';

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

function placeOf(node: LonghornNodeFacts, ...given: Parameters<typeof placesWith>): DiskPlace | undefined {
  const [disk] = node.allDisks;
  return disk && placesWith(...given)(node.name, disk);
}

describe('a disk of Longhorn', () => {
  it('is in the ephemeral storage of its node or not, by the filesystem on which the agent finds its path', () => {
    expect(placeOf(nodeWith(), [kubelet, at('/var/lib/longhorn', '8:1')])).toBe('shared');
    expect(placeOf(nodeWith(), [kubelet, at('/var/lib/longhorn', '8:2')])).toBe('apart');
    // A quota makes the same filesystem look smaller.
    expect(placeOf(nodeWith({}, 60), [kubelet, at('/var/lib/longhorn', '8:1')])).toBe('shared');
  });

  it('is elsewhere when nobody measures its path and its size is another, or when it is a device', () => {
    expect(placeOf(nodeWith({ path: '/mnt/disk' }, 4000), [kubelet])).toBe('own');
    expect(placeOf(nodeWith({ path: '/mnt/disk' }, 4000))).toBe('own');
    expect(placeOf(nodeWith({ path: '/dev/sdb', diskType: 'block' }))).toBe('own');
    // The kubelet tells its size once, when it starts; the agent measures it.
    expect(placeOf(nodeWith({ path: '/mnt/disk' }), [{ ...kubelet, sizeBytes: 200 * gib }])).toBe('own');
  });

  it('is unknown when neither tells, which is said', () => {
    expect(placeOf(nodeWith())).toBe('unknown');
    expect(placeOf(nodeWith({ path: '/mnt/disk' }), [kubelet, at('/var/lib/longhorn', '8:2')])).toBe('unknown');
    expect(placeOf(nodeWith({ path: '/mnt/disk' }, 0), [kubelet])).toBe('unknown');
    expect(placeOf(nodeWith(), [at('/var/lib/longhorn', '8:2')])).toBe('unknown');
    const [told, ...more] = unknownPlaces([nodeWith({ path: '/mnt/disk' })], placesWith([kubelet]));
    expect(more).toEqual([]);
    expect(told).toMatchObject({ source: 'longhorn-filesystems', lastContactAt: undefined });
    expect(told?.reason).toContain('whether /mnt/disk of a is in the ephemeral storage of its node');
    expect(unknownPlaces([nodeWith()], placesWith([kubelet, at('/var/lib/longhorn', '8:2')]))).toEqual([]);
  });

  it('has no part in anything while it has neither a size nor replicas', () => {
    const [disk] = nodeWith({}, 0).allDisks;
    expect(disk && placesWith()('a', { ...disk, scheduledBytes: 0 })).toBe('own');
  });

  it('has no part in the ephemeral storage of what is no node of the cluster, or promises none', () => {
    const [disk] = nodeWith().allDisks;
    expect(disk && diskPlaces([], () => undefined)('a', disk)).toBe('own');
    expect(disk && diskPlaces([{ name: 'a', labels: {} }], () => undefined)('a', disk)).toBe('own');
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
      observedAt: 9,
    };
  };

  it('are held back from pods where their disk is, or may be, in the ephemeral storage, also of a disk that is closed', () => {
    const heldGib = (...given: Parameters<typeof viewWith>) => (volumesInEphemeral(viewWith(...given)).get('a') ?? 0) / gib;
    expect(heldGib(nodeWith(), [kubelet, at('/var/lib/longhorn', '8:1')])).toBe(40);
    expect(heldGib(nodeWith())).toBe(40);
    expect(heldGib(nodeWith(), [kubelet, at('/var/lib/longhorn', '8:2')])).toBe(0);
    expect(heldGib(nodeWith({ path: '/mnt/disk' }, 4000))).toBe(0);
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
