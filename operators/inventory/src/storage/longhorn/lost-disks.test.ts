import type { FilesystemFacts } from '@quartermaster/api/node-hardware';
import { describe, expect, it } from 'vitest';
import { diskPlaces } from './disk-place.ts';
import { type LonghornNodeFacts, nodeFacts } from './longhorn-disks.ts';
import { LostDisks } from './lost-disks.ts';

const gib = 2 ** 30;

const nodeWith = (maximumGib: number): LonghornNodeFacts =>
  nodeFacts({
    metadata: { name: 'a' },
    spec: { allowScheduling: true, disks: { d: { path: '/mnt/data', allowScheduling: true } } },
    status: { diskStatus: { d: { storageMaximum: maximumGib * gib } } },
  });
const [ready, lost] = [nodeWith(4000), nodeWith(0)];
const kubelet: FilesystemFacts = { path: '/var/lib/kubelet', device: '8:1', sizeBytes: 100 * gib, holdsEphemeral: true };
const mounted = [kubelet, { path: '/mnt/data', device: '8:2', sizeBytes: 4000 * gib }];
/** What a mount that is gone leaves behind: a folder of the root filesystem. */
const unmounted = [kubelet, { path: '/mnt/data', device: '8:1', sizeBytes: 100 * gib }];

/** Whether the disk may be in ephemeral storage, at each of several moments. */
function through(
  ...moments: readonly (readonly [node: LonghornNodeFacts | undefined, reported?: readonly FilesystemFacts[]])[]
): readonly unknown[] {
  const disks = new LostDisks();
  return moments.map(([node, reported]) => {
    const nodes = node === undefined ? [] : [node];
    const placeOf = disks.placesOf(
      nodes,
      diskPlaces([{ name: 'a', labels: {}, ephemeralSize: '100Gi' }], () => reported),
    );
    const [disk] = node?.allDisks ?? [];
    return disk && placeOf('a', disk).inEphemeral;
  });
}

describe('a disk of Longhorn that is lost', () => {
  it('is where it was when Longhorn last told of it, though its folder is in ephemeral storage now, whoever notices first', () => {
    expect(through([ready, mounted], [lost, mounted], [lost, unmounted])).toEqual([false, false, false]);
    expect(through([ready, mounted], [ready, unmounted], [lost, unmounted])).toEqual([false, true, false]);
  });

  it('may be anywhere where nobody knew for certain that it was apart', () => {
    expect(through([lost, unmounted])).toEqual([true]);
    expect(through([ready], [lost])).toEqual([true, true]);
    expect(through([nodeWith(100), unmounted], [lost, unmounted])).toEqual([true, true]);
  });

  it('is another one once it has another size, or was removed meanwhile', () => {
    expect(through([ready, mounted], [nodeWith(100), unmounted], [lost, unmounted])).toEqual([false, true, true]);
    expect(through([ready, mounted], [undefined], [lost, unmounted])).toEqual([false, undefined, true]);
  });
});
