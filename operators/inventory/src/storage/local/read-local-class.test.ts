import type { FilesystemFacts } from '@quartermaster/api/node-hardware';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { UnreadNodes } from '../../model/node-inventory.ts';
import type { StorageClassFacts, StorageReading } from '../../model/storage-inventory.ts';
import { parseLocalPathConfig } from './local-path-config.ts';
import { placesOf } from './local-places.ts';
import type { LocalView } from './local-view.ts';
import { readLocalClass } from './read-local-class.ts';
import { volumesInEphemeral } from './volumes-in-ephemeral.ts';

const gib = 2 ** 30;
const path = '/opt/local-path-provisioner';

const local = (name = 'local-path', changes: Partial<StorageClassFacts> = {}): StorageClassFacts => ({
  name,
  provisioner: 'rancher.io/local-path',
  parameters: {},
  labels: {},
  annotations: {},
  ...changes,
});

const filesystem = (sizeGib: number, device: string, at = path): FilesystemFacts => ({ path: at, sizeBytes: sizeGib * gib, device });

/** Stands for a class that is not there any more. */
const deleted = local('deleted');

const config = (value: object) => parseLocalPathConfig(JSON.stringify(value));
const everywhere = config({ nodePathMap: [{ node: 'DEFAULT_PATH_FOR_NON_LISTED_NODES', paths: [path] }] });

interface Given {
  readonly reports: Readonly<Record<string, readonly FilesystemFacts[] | undefined>>;
  /** Class, node, GiB, and the folder once there is a volume. */
  readonly volumes?: readonly (readonly [StorageClassFacts, string, number, string?])[];
  /** Nodes with disks of others that cannot be read. */
  readonly unread?: UnreadNodes;
  /** The configuration cannot be read. */
  readonly isUnread?: boolean;
  readonly config?: ReturnType<typeof config>;
}

function view({ reports, volumes = [], unread = new Set(), config: paths = everywhere, isUnread = false }: Given): LocalView {
  const held = volumes.map(([storageClass, node, size, folder]) => ({
    className: storageClass.name,
    storageClass: storageClass === deleted ? undefined : storageClass,
    node,
    group: `${storageClass.name} ${node} ${folder ?? ''}`,
    bytes: size * gib,
    folder,
  }));
  return {
    nodes: Object.keys(reports),
    filesystemsOf: (node) => reports[node],
    placesOf: (storageClass, node) => (isUnread ? undefined : placesOf(storageClass, paths)(node)),
    volumes: Map.groupBy(held, ({ node }) => node),
    unread,
    observedAt: 9,
  };
}

const availableGib = (reading: StorageReading): Record<string, number> | string =>
  reading.known
    ? Object.fromEntries([...(reading.perNode ?? [])].map(([node, { available }]) => [node, available / gib]))
    : reading.reason.code;

describe('a class on the disks of nodes', () => {
  const reports = { a: [filesystem(100, 'a1')], b: [filesystem(200, 'b1')], c: [filesystem(300, 'c1')] };

  it('has figures per node: 100, 200 and 300 Gi are not 300, and not 600 in one place', () => {
    const reading = readLocalClass(local(), view({ reports, volumes: [[local(), 'b', 50]] }));
    expect(availableGib(reading)).toEqual({ a: 100, b: 150, c: 300 });
    expect(reading).toMatchObject({
      known: true,
      amount: { capacity: 600 * gib, allocated: 50 * gib, available: 550 * gib, overcommitted: 0 },
      largestVolumeBytes: 300 * gib,
      observedAt: 9,
      replicas: 1,
    });
  });

  it('does not make up for one node with the room of another', () => {
    const reading = readLocalClass(local(), view({ reports, volumes: [[local(), 'a', 150]] }));
    expect(reading).toMatchObject({ amount: { allocated: 150 * gib, available: 500 * gib, overcommitted: 50 * gib } });
  });

  it('holds back claims that have no node yet', () => {
    const reading = readLocalClass(local(), view({ reports, volumes: [[local(), '', 40]] }));
    expect(reading).toMatchObject({ amount: { allocated: 40 * gib, available: 560 * gib } });
  });

  it('tells which volumes its figures by node contain', () => {
    const volumes = [
      [local(), 'a', 10, path],
      [local(), 'b', 20],
      [local(), 'b', 30, '/elsewhere'],
      [local(), 'gone', 40, path],
      [local(), '', 50],
      [local(), '', 60, path],
      [local('other'), 'a', 70, path],
    ] as const;
    const elsewhere = filesystem(10, 'b2', '/elsewhere');
    const reading = readLocalClass(local(), view({ reports: { ...reports, b: [filesystem(200, 'b1'), elsewhere] }, volumes }));
    expect(reading.known && Object.fromEntries(reading.counted)).toEqual({ [`local-path a ${path}`]: 'a', 'local-path b ': 'b' });
    const allocated = reading.known ? [...(reading.perNode ?? [])].map(([node, each]) => [node, each.allocated / gib]) : [];
    // Those in a folder of every node are on each of them.
    expect(Object.fromEntries(allocated)).toEqual({ a: 10 + 60, b: 20 + 60, c: 60 });
  });

  it('is unknown without an agent, and not zero', () => {
    expect(availableGib(readLocalClass(local(), view({ reports: { a: undefined, b: undefined } })))).toBe('AgentMissing');
    expect(availableGib(readLocalClass(local(), view({ reports: { a: undefined, b: [filesystem(200, 'b1')] } })))).toEqual({ b: 200 });
    expect(availableGib(readLocalClass(local(), view({ reports: { a: [filesystem(1, 'x', '/other')] } })))).toBe('CapacityUnknown');
    expect(availableGib(readLocalClass(local(), view({ reports, config: config({ nodePathMap: [] }) })))).toBe('PoolMissing');
  });

  it('is unknown on the nodes alone of which disks of others could not be read', () => {
    const reading = readLocalClass(local(), view({ reports, unread: new Set(['a']) }));
    expect(availableGib(reading)).toEqual({ b: 200, c: 300 });
    expect(reading).toMatchObject({ silentNodes: ['a'], amount: { available: 500 * gib }, largestVolumeBytes: 300 * gib });
    for (const unread of ['all', new Set(['a', 'b', 'c'])] as const) {
      const nothing = readLocalClass(local(), view({ reports, unread }));
      expect(availableGib(nothing)).toBe('CapacityUnknown');
      expect(!nothing.known && nothing.reason.message).toContain('disks of Longhorn on a, b, c, which');
    }
  });

  it('says on which nodes its space is the ephemeral storage too', () => {
    const kubelet = filesystem(100, 'a1', '/var/lib/kubelet');
    const shared = { a: [filesystem(100, 'a1'), kubelet], b: [filesystem(200, 'b1'), filesystem(50, 'b2', '/var/lib/kubelet')] };
    expect(readLocalClass(local(), view({ reports: shared }))).toMatchObject({ ephemeralNodes: ['a'] });
  });

  it('does not sell what is written and is no volume of its own: the system, images, logs', () => {
    const used = (usedGib: number, folderGib: number | undefined) => ({
      a: [{ ...filesystem(100, 'a1'), usedBytes: usedGib * gib, folderBytes: folderGib === undefined ? undefined : folderGib * gib }],
    });
    const left = (usedGib: number, folderGib: number | undefined, promisedGib: number) =>
      availableGib(readLocalClass(local(), view({ reports: used(usedGib, folderGib), volumes: [[local(), 'a', promisedGib, path]] })));
    expect(left(40, 0, 0)).toEqual({ a: 60 });
    expect(left(40, 0, 50)).toEqual({ a: 10 });
    // What volumes have written counts once, as their promise.
    expect(left(90, 50, 50)).toEqual({ a: 10 });
    // More in the folder than was promised: whoever wrote it, it is not free.
    expect(left(80, 40, 30)).toEqual({ a: 20 });
    // Nobody could count the folder.
    expect(left(60, undefined, 20)).toEqual({ a: 20 });
    expect(left(100, 0, 50)).toEqual({ a: 0 });
  });

  it('never sells more than is free, nor more than is not promised', () => {
    const parts = fc.record({ used: fc.nat(100), folder: fc.option(fc.nat(100), { nil: undefined }), promised: fc.nat(120) });
    fc.assert(
      fc.property(parts, ({ used, folder, promised }) => {
        const folderBytes = folder === undefined ? undefined : Math.min(folder, used) * gib;
        const disk = { ...filesystem(100, 'a1'), usedBytes: used * gib, folderBytes };
        const reading = readLocalClass(local(), view({ reports: { a: [disk] }, volumes: [[local(), 'a', promised, path]] }));
        const { available = -1 } = (reading.known ? reading.perNode?.get('a') : undefined) ?? {};
        expect(available).toBeGreaterThanOrEqual(0);
        expect(available).toBeLessThanOrEqual(Math.max((100 - used) * gib, 0));
        expect(available).toBeLessThanOrEqual(Math.max((100 - promised) * gib, 0));
      }),
    );
  });

  it('finds its path however it is written, and the one of k3s', () => {
    const k3s = '/var/lib/rancher/k3s/storage';
    const slashed = config({ nodePathMap: [{ node: 'DEFAULT_PATH_FOR_NON_LISTED_NODES', paths: [`${k3s}/`] }] });
    const at = { a: [filesystem(100, 'a1', k3s)] };
    expect(availableGib(readLocalClass(local(), view({ reports: at, config: slashed })))).toEqual({ a: 100 });
  });

  it('lacks what another class has taken of the same filesystem, and shares its space', () => {
    const openebs = local('hostpath', {
      provisioner: 'openebs.io/local',
      annotations: { 'cas.openebs.io/config': '- name: StorageType\n  value: hostpath\n- name: BasePath\n  value: /data\n' },
    });
    const both = { a: [filesystem(100, 'a1'), filesystem(100, 'a1', '/data')] };
    const given = view({
      reports: both,
      volumes: [
        [openebs, 'a', 30],
        [local(), 'a', 10],
      ],
    });
    const [first, second] = [readLocalClass(local(), given), readLocalClass(openebs, given)];
    expect([availableGib(first), availableGib(second)]).toEqual([{ a: 60 }, { a: 60 }]);
    expect(first.known && second.known && first.space === second.space).toBe(true);
  });

  it('adds up several paths of a node, each filesystem once', () => {
    const paths = config({ nodePathMap: [{ node: 'DEFAULT_PATH_FOR_NON_LISTED_NODES', paths: ['/x', '/y', '/z'] }] });
    const disks = { a: [filesystem(100, 'd1', '/x'), filesystem(100, 'd1', '/y'), filesystem(70, 'd2', '/z')] };
    expect(availableGib(readLocalClass(local(), view({ reports: disks, config: paths })))).toEqual({ a: 170 });
    const onlyZ = local('fast', { parameters: { nodePath: '/z' } });
    expect(availableGib(readLocalClass(onlyZ, view({ reports: disks, config: paths })))).toEqual({ a: 70 });
  });
});

describe('a class on a filesystem that all nodes share', () => {
  const nfs = config({ sharedFileSystemPath: '/nfs' });
  const node = (at: string, device = 'nfs') => [
    filesystem(500, device, '/nfs'),
    { ...filesystem(100, at, '/var/lib/kubelet'), holdsEphemeral: true },
  ];
  const mounted = { a: node('a1'), b: node('b1') };
  /** A mount that failed leaves a folder of the root filesystem. */
  const failed = { a: node('a1', 'a1'), b: node('b1') };
  const volumes = [
    [local(), '', 40, '/nfs'],
    [local(), '', 20],
  ] as const;

  it('has it once, and no volume takes anything from the nodes', () => {
    const reading = readLocalClass(local(), view({ reports: mounted, config: nfs, volumes }));
    expect(reading).toMatchObject({ amount: { capacity: 500 * gib, allocated: 60 * gib, available: 440 * gib } });
    expect(reading).not.toHaveProperty('perNode');
    expect(reading.known && Object.fromEntries(reading.counted)).toEqual({ 'local-path  /nfs': '', 'local-path  ': '' });
    expect([...volumesInEphemeral(view({ reports: mounted, config: nfs, volumes }))]).toEqual([]);
  });

  it('has what the node that sees least of it has', () => {
    const written = { ...mounted, b: node('b1').map((each) => ({ ...each, usedBytes: 100 * gib, folderBytes: 60 * gib })) };
    const reading = readLocalClass(local(), view({ reports: written, config: nfs, volumes }));
    expect(reading).toMatchObject({ amount: { allocated: 60 * gib, available: 400 * gib } });
  });

  it('is refused where the path is the ephemeral storage of a node, which holds all its volumes back from pods', () => {
    const given = view({ reports: failed, config: nfs, volumes });
    const reading = readLocalClass(local(), given);
    expect(availableGib(reading)).toBe('CapacityUnknown');
    expect(!reading.known && reading.reason.message).toMatch(/\/nfs.* of a:/);
    expect([...volumesInEphemeral(given)]).toEqual([['a', 60 * gib]]);
  });

  it('has its volumes held back from the pods of a node that says nothing of the path, or nothing at all', () => {
    const [, kubelet] = node('a1');
    const reports = { ...mounted, a: [kubelet].flatMap((each) => each ?? []), c: undefined };
    const given = view({ reports, config: nfs, volumes });
    expect([...volumesInEphemeral(given)]).toEqual([
      ['a', 60 * gib],
      ['c', 60 * gib],
    ]);
    expect(readLocalClass(local(), given)).toMatchObject({ amount: { allocated: 60 * gib, available: 440 * gib } });
  });

  it('is refused while a node does not say where its kubelet is', () => {
    const silent = { ...mounted, b: [filesystem(500, 'nfs', '/nfs')] };
    expect(availableGib(readLocalClass(local(), view({ reports: silent, config: nfs })))).toBe('CapacityUnknown');
  });

  it('leaves its volumes where they lie when the configuration changes', () => {
    const reports = { a: [...node('a1', 'a1'), filesystem(100, 'a1')], b: [...node('b1'), filesystem(100, 'b1')] };
    const given = view({ reports, volumes: [[local(), '', 40, '/nfs']] });
    expect(availableGib(readLocalClass(local(), given))).toEqual({ a: 60, b: 100 });
    expect([...volumesInEphemeral(given)]).toEqual([['a', 40 * gib]]);
  });

  it('shares it with a class in another folder of it', () => {
    const two = config({ sharedFileSystemPath: '/nfs/one', storageClassConfigs: { other: { sharedFileSystemPath: '/nfs/two' } } });
    const [, kubelet] = node('a1');
    if (kubelet === undefined) throw new Error('the kubelet has a folder');
    const reports = { a: [filesystem(500, 'nfs', '/nfs/one'), filesystem(500, 'nfs', '/nfs/two'), kubelet] };
    const given = view({ reports, config: two, volumes: [[local('other'), '', 40, '/nfs/two']] });
    const [first, second] = [readLocalClass(local(), given), readLocalClass(local('other'), given)];
    expect([first, second]).toMatchObject([{ amount: { available: 460 * gib } }, { amount: { available: 460 * gib } }]);
    expect(first.known && second.known && first.space === second.space).toBe(true);
  });
});

describe('volumes in the ephemeral storage of nodes', () => {
  const kubelet = { ...filesystem(100, 'a1', '/k0s/kubelet'), holdsEphemeral: true };
  const own = filesystem(200, 'a2', '/data');
  const dataConfig = config({ nodePathMap: [{ node: 'DEFAULT_PATH_FOR_NON_LISTED_NODES', paths: ['/data'] }] });
  const held = (given: Given) => Object.fromEntries([...volumesInEphemeral(view(given))].map(([node, bytes]) => [node, bytes / gib]));

  it('are held back from pods where they share a filesystem, and where nobody knows', () => {
    const volumes = [[local(), 'a', 30, path]] as const;
    expect(held({ reports: { a: [filesystem(100, 'a1'), kubelet] }, volumes })).toEqual({ a: 30 });
    expect(held({ reports: { a: [filesystem(100, 'a2'), kubelet] }, volumes })).toEqual({});
    expect(held({ reports: { a: undefined }, volumes })).toEqual({ a: 30 });
    expect(held({ reports: { a: [filesystem(100, 'a2')] }, volumes })).toEqual({ a: 30 });
  });

  it('are where they lie, whatever the configuration says of the next ones', () => {
    const reports = { a: [filesystem(100, 'a1'), own, kubelet] };
    const volumes = [[local(), 'a', 30, path]] as const;
    expect(held({ reports, volumes, config: dataConfig })).toEqual({ a: 30 });
    expect(held({ reports, volumes: [[local(), 'a', 30, '/data']], config: everywhere })).toEqual({});
    expect(availableGib(readLocalClass(local(), view({ reports, volumes, config: dataConfig })))).toEqual({ a: 200 });
  });

  it('stay held back while the configuration cannot be read, and after their class is deleted', () => {
    const reports = { a: [filesystem(100, 'a1'), own, kubelet] };
    expect(held({ reports, volumes: [[local(), 'a', 30]], isUnread: true })).toEqual({ a: 30 });
    expect(held({ reports, volumes: [[local(), 'a', 30, '/data/']], isUnread: true })).toEqual({});
    expect(held({ reports, volumes: [[deleted, 'a', 30, path]] })).toEqual({ a: 30 });
    expect(availableGib(readLocalClass(local(), view({ reports, volumes: [[deleted, 'a', 30, path]] })))).toEqual({ a: 70 });
  });

  it('count against the class, too, on a node that does not say where its kubelet is', () => {
    expect(readLocalClass(local(), view({ reports: { a: [own] }, config: dataConfig }))).toMatchObject({ ephemeralNodes: ['a'] });
    expect(readLocalClass(local(), view({ reports: { a: [own, kubelet] }, config: dataConfig }))).toMatchObject({ ephemeralNodes: [] });
  });
});
