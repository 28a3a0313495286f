import type { StorageWatch } from '@quartermaster/inventory/storage';
import { kinds } from '@quartermaster/kube';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ContractServer } from '../contract/contract-server.ts';
import {
  ceph,
  gib,
  install,
  KnownNodes,
  longhorn,
  patience,
  put,
  setStatus,
  storageClass,
  volume,
  watchStorage,
} from './storage-fixtures.ts';

const rbd = 'rook-ceph.rbd.csi.ceph.com';
const namespace = 'rook-ceph';
const cephCluster = { metadata: { namespace, name: 'my-cluster' } };
const longhornSystem = 'longhorn-system';

/** The storage watch against an API server without kubelets, and so without Ceph's toolbox. The tests build on each other. */
export function describeStorage(server: () => ContractServer): void {
  describe('the storage watch', () => {
    const known = new KnownNodes();
    let watch: StorageWatch;
    let changes = 0;

    beforeAll(async () => {
      const { client } = server();
      for (const name of [namespace, longhornSystem, 'local-path-storage']) await client.create(kinds.namespaces, { metadata: { name } });
      watch = watchStorage(client, known);
      watch.subscribe(() => {
        changes += 1;
      });
    });

    afterAll(async () => {
      await watch?.stop();
    });

    const find = (name: string) => watch.current().find((each) => each.class === name);
    const refusalOf = (name: string): string | undefined => find(name)?.refusal?.code;
    const availableGib = (name: string): number | undefined => {
      const available = find(name)?.amount?.available;
      return available === undefined ? undefined : available / gib;
    };

    it('is ready without any backend, and says of each class why it is not offered', async () => {
      const { client } = server();
      await watch.whenReady(AbortSignal.timeout(30_000));
      expect(watch.current()).toEqual([]);
      expect(watch.stale()).toEqual([]);
      await storageClass(client, 'beta2', rbd, { clusterID: namespace, pool: 'twice' });
      await storageClass(client, 'beta3', rbd, { clusterID: namespace, pool: 'thrice' });
      await storageClass(client, 'coded', rbd, { clusterID: namespace, pool: 'thrice', dataPool: 'four-plus-two' });
      await storageClass(client, 'wrong', rbd, { clusterID: 'my-cluster', pool: 'twice' });
      await storageClass(client, 'replicated', 'driver.longhorn.io', { numberOfReplicas: '2' });
      await storageClass(client, 'local-path', 'rancher.io/local-path');
      await storageClass(client, 'lvm', 'topolvm.io');
      await storageClass(client, 'unlisted', 'driver.longhorn.io');
      await expect
        .poll(() => watch.current().map(({ class: name, refusal }) => [name, refusal?.code]), patience)
        .toEqual([
          ['beta2', 'BackendMissing'],
          ['beta3', 'BackendMissing'],
          ['coded', 'BackendMissing'],
          ['local-path', 'AgentMissing'],
          ['lvm', 'NoQuerier'],
          ['replicated', 'BackendMissing'],
          ['unlisted', 'ClassNotListed'],
          ['wrong', 'BackendMissing'],
        ]);
      expect(watch.current().every(({ amount }) => amount === undefined)).toBe(true);
    });

    it('finds Ceph when its kinds are installed, and reads what the CephCluster and its pools say', async () => {
      const { client } = server();
      for (const kind of Object.values(ceph)) await install(client, kind);
      await put(client, ceph.clusters, { ...cephCluster, spec: {}, status: { phase: 'Progressing', state: 'Creating' } });
      await expect.poll(() => refusalOf('beta2'), patience).toBe('PoolMissing');
      const pool = (name: string, spec: object) => ({ metadata: { namespace, name }, spec, status: { phase: 'Ready' } });
      await put(client, ceph.blockPools, pool('twice', { replicated: { size: 2 }, deviceClass: 'ssd' }));
      await put(client, ceph.blockPools, pool('thrice', { replicated: { size: 3 }, deviceClass: 'ssd' }));
      await put(client, ceph.blockPools, pool('four-plus-two', { erasureCoded: { dataChunks: 4, codingChunks: 2 }, deviceClass: 'ssd' }));
      await expect.poll(() => refusalOf('coded'), patience).toBe('CapacityUnknown');
      expect(refusalOf('wrong')).toBe('BackendMissing');

      // 12 000 GiB raw, 11 400 of which may be written, 6 000 used: 5 400 raw are left.
      const capacity = { bytesTotal: 12_000 * gib, bytesUsed: 6000 * gib, bytesAvailable: 6000 * gib, lastUpdated: '2026-03-01T10:00:00Z' };
      const storage = { deviceClasses: [{ name: 'ssd' }] };
      await setStatus(client, ceph.clusters, {
        ...cephCluster,
        status: { phase: 'Ready', state: 'Created', ceph: { health: 'HEALTH_OK', capacity }, storage },
      });
      await expect.poll(() => ['beta2', 'beta3', 'coded'].map(availableGib), patience).toEqual([2700, 1800, 3600]);
      expect(find('beta3')).toMatchObject({
        backend: 'rook-ceph',
        performance: 'beta3',
        replicas: 3,
        sharesSpaceWith: ['beta2', 'coded'],
        observedAt: Date.UTC(2026, 2, 1, 10),
      });
      expect(find('coded')).toMatchObject({ performance: 'beta2' });
      expect(find('beta2')).toMatchObject({ refusal: undefined });
    });

    it('takes off what volumes were promised beyond what is stored, from every class on the same devices', async () => {
      const { client } = server();
      const before = changes;
      const source = (pool: string) => ({
        csi: { driver: rbd, volumeHandle: pool, volumeAttributes: { clusterID: namespace, pool, imageName: `csi-${pool}` } },
      });
      // 2 500 × 2 + 1 000 × 3 = 8 000 raw are promised, more than is used: 3 400 raw are left.
      await client.create(kinds.persistentVolumes, volume('a', 'beta2', '2500Gi', source('twice')));
      await client.create(kinds.persistentVolumes, volume('b', 'beta3', '1000Gi', source('thrice')));
      await expect
        .poll(() => ['beta2', 'beta3', 'coded'].map(availableGib), patience)
        .toEqual([1700, expect.closeTo(3400 / 3, 5), expect.closeTo((3400 * 4) / 6, 5)]);
      expect(find('beta2')).toMatchObject({ promisedBytes: 2500 * gib, volumes: 1 });
      await expect.poll(() => changes, patience).toBeGreaterThan(before);
      await client.delete(kinds.persistentVolumes, { name: 'a' });
      await client.delete(kinds.persistentVolumes, { name: 'b' });
      await expect.poll(() => ['beta2', 'beta3', 'coded'].map(availableGib), patience).toEqual([2700, 1800, 3600]);
    });

    it('counts a claim that waits for its volume, and forgets it with the claim', async () => {
      const { client } = server();
      const metadata = { namespace: 'default', name: 'waiting' };
      const resources = { requests: { storage: '4000Gi' } };
      await client.create(kinds.persistentVolumeClaims, {
        metadata,
        spec: { accessModes: ['ReadWriteOnce'], storageClassName: 'beta2', resources },
      });
      await expect.poll(() => availableGib('beta2'), patience).toBe(1700);
      await client.delete(kinds.persistentVolumeClaims, metadata);
      await expect.poll(() => availableGib('beta2'), patience).toBe(2700);
    });

    it('refuses classes of an ill Ceph with their figures, until it is well again', async () => {
      const { client } = server();
      const details = { OSD_FULL: { severity: 'HEALTH_ERR', message: '1 full osd(s)' } };
      await setStatus(client, ceph.clusters, { ...cephCluster, status: { ceph: { health: 'HEALTH_ERR', details } } });
      await expect.poll(() => refusalOf('beta2'), patience).toBe('BackendUnhealthy');
      expect(availableGib('beta2')).toBe(2700);
      expect(find('beta2')?.refusal?.message).toContain('OSD_FULL: 1 full osd(s)');
      await setStatus(client, ceph.clusters, { ...cephCluster, status: { ceph: { health: 'HEALTH_OK', details: null } } });
      await expect.poll(() => refusalOf('beta2'), patience).toBeUndefined();
    });

    it('reads Longhorn by its disks, and follows them', async () => {
      const { client } = server();
      for (const kind of Object.values(longhorn)) await install(client, kind);
      const ready = ['Ready', 'Schedulable'].map((type) => ({ type, status: 'True' }));
      const disk = { storageMaximum: 100 * gib, storageAvailable: 90 * gib, storageScheduled: 20 * gib, conditions: ready };
      const node = (name: string) => ({
        metadata: { namespace: longhornSystem, name },
        spec: {
          allowScheduling: true,
          disks: { d1: { path: '/var/lib/longhorn/', allowScheduling: true, storageReserved: 10 * gib, diskType: 'filesystem' } },
        },
        status: { conditions: ready, diskStatus: { d1: disk } },
      });
      await put(client, longhorn.settings, {
        metadata: { namespace: longhornSystem, name: 'storage-over-provisioning-percentage' },
        value: '{"v1":"200","v2":"100"}',
      });
      for (const name of ['a', 'b', 'c']) await put(client, longhorn.nodes, node(name));
      // (100 − 10) × 200 % − 20 = 160 on each of three nodes, in two replicas: 240.
      await expect.poll(() => availableGib('replicated'), patience).toBe(240);
      expect(find('replicated')).toMatchObject({ backend: 'longhorn', replicas: 2, largestVolumeBytes: 160 * gib });
      expect(find('unlisted')).toMatchObject({ refusal: { code: 'ClassNotListed' }, amount: { available: 160 * gib } });
      const conditions = [{ type: 'Ready', status: 'False' }];
      await setStatus(client, longhorn.nodes, { ...node('c'), status: { diskStatus: { d1: { ...disk, conditions } } } });
      await expect.poll(() => availableGib('replicated'), patience).toBe(160);
    });

    it('holds replicas of Longhorn back from pods where they are in the ephemeral storage, and says where nobody can tell', async () => {
      const kubelet = { path: '/var/lib/kubelet', sizeBytes: 100 * gib, device: '8:1', holdsEphemeral: true };
      known.set('a', [kubelet, { path: '/var/lib/longhorn', sizeBytes: 100 * gib, device: '8:1' }]);
      known.set('b', [kubelet]);
      await expect.poll(() => find('replicated')?.ephemeralNodes, patience).toEqual(['a', 'b']);
      expect([...watch.volumesInEphemeral().bytes]).toEqual([
        ['a', 20 * gib],
        ['b', 20 * gib],
      ]);
      expect(watch.stale().map(({ source, reason }) => [source, reason.includes('/var/lib/longhorn/ of b')])).toEqual([
        ['longhorn-filesystems', true],
      ]);
      known.set('b', [kubelet, { path: '/var/lib/longhorn', sizeBytes: 100 * gib, device: '8:2' }]);
      await expect.poll(() => watch.stale(), patience).toEqual([]);
      expect(find('replicated')).toMatchObject({ ephemeralNodes: ['a'], amount: { available: 160 * gib } });
      expect([...watch.volumesInEphemeral().bytes]).toEqual([['a', 20 * gib]]);
      known.set('a', [kubelet, { path: '/var/lib/longhorn', sizeBytes: 100 * gib, device: '8:2' }]);
      await expect.poll(() => [...watch.volumesInEphemeral().bytes], patience).toEqual([]);
    });

    it('has the room of node-local classes per node, by what the agents report', async () => {
      const { client } = server();
      const path = '/data/volumes';
      const nodePathMap = [{ node: 'DEFAULT_PATH_FOR_NON_LISTED_NODES', paths: [path] }];
      await client.create(kinds.configMaps, {
        metadata: { namespace: 'local-path-storage', name: 'local-path-config' },
        data: { 'config.json': JSON.stringify({ nodePathMap }) },
      });
      for (const [name, size] of [
        ['n1', 100],
        ['n2', 200],
        ['n3', 300],
      ] as const) {
        known.set(name, [
          { path, sizeBytes: size * gib, device: '259:1' },
          { path: '/var/lib/kubelet', sizeBytes: size * gib, device: name === 'n1' ? '259:1' : '259:9' },
        ]);
      }
      await client.create(kinds.persistentVolumes, volume('local', 'local-path', '50Gi', { hostPath: { path: `${path}/local` } }, 'n2'));
      const perNode = (): unknown => [...(find('local-path')?.perNode ?? [])].map(([name, { available }]) => [name, available / gib]);
      await expect.poll(perNode, patience).toEqual([
        ['n1', 100],
        ['n2', 150],
        ['n3', 300],
      ]);
      expect(find('local-path')).toMatchObject({ ephemeralNodes: ['n1'], amount: { capacity: 600 * gib, available: 550 * gib } });
    });

    it('holds volumes back from ephemeral storage whatever becomes of classes, configurations and agents', async () => {
      const { client } = server();
      const held = (): unknown => [...watch.volumesInEphemeral().bytes].map(([name, bytes]) => [name, bytes / gib]);
      const made = volume('shared', 'local-path', '30Gi', { hostPath: { path: '/data/volumes/shared' } }, 'n1');
      const annotations = { 'pv.kubernetes.io/provisioned-by': 'rancher.io/local-path' };
      await client.create(kinds.persistentVolumes, { ...made, metadata: { ...made.metadata, annotations } });
      await expect.poll(held, patience).toEqual([['n1', 30]]);
      // Volumes stay where they are while the provisioner is sent elsewhere, or its configuration is broken.
      const config = { namespace: 'local-path-storage', name: 'local-path-config' };
      const write = async (text: string) =>
        await client.patch(kinds.configMaps, config, { kind: 'merge', body: { data: { 'config.json': text } } });
      await write('{');
      await expect.poll(() => refusalOf('local-path'), patience).toBe('CapacityUnknown');
      expect(held()).toEqual([['n1', 30]]);
      await client.delete(kinds.storageClasses, { name: 'local-path' });
      await expect.poll(() => find('local-path'), patience).toBeUndefined();
      expect(held()).toEqual([['n1', 30]]);
      known.set('n1', undefined);
      known.set('n2', [{ path: '/elsewhere', sizeBytes: 200 * gib, device: '259:1' }]);
      await expect.poll(held, patience).toEqual([['n1', 30]]);
    });

    it('answers for classes of which a driver publishes capacities', async () => {
      const { client } = server();
      const capacityOf = (name: string, node: string, capacity: string) => ({
        metadata: { namespace: 'default', name },
        storageClassName: 'lvm',
        nodeTopology: { matchLabels: { 'kubernetes.io/hostname': node } },
        capacity,
        maximumVolumeSize: '30Gi',
      });
      await client.create(kinds.csiStorageCapacities, capacityOf('one', 'n1', '40Gi'));
      await client.create(kinds.csiStorageCapacities, capacityOf('two', 'n2', '60Gi'));
      await client.create(kinds.csiStorageCapacities, capacityOf('again', 'n2', '60Gi'));
      await expect.poll(() => availableGib('lvm'), patience).toBe(100);
      expect(find('lvm')).toMatchObject({ backend: 'csi-capacity', largestVolumeBytes: 30 * gib });
      expect([...(find('lvm')?.perNode?.keys() ?? [])]).toEqual(['n1', 'n2']);
      // The driver has made a volume, and has yet to say that less is left.
      await client.create(
        kinds.persistentVolumes,
        volume('made', 'lvm', '10Gi', { csi: { driver: 'topolvm.io', volumeHandle: 'made' } }, 'n1'),
      );
      await expect.poll(() => availableGib('lvm'), patience).toBe(90);
      const merge = { kind: 'merge', body: { capacity: '25Gi' } } as const;
      await client.patch(kinds.csiStorageCapacities, { namespace: 'default', name: 'one' }, merge);
      await expect.poll(() => availableGib('lvm'), patience).toBe(85);
      await client.delete(kinds.persistentVolumes, { name: 'made' });
      for (const name of ['one', 'two', 'again']) await client.delete(kinds.csiStorageCapacities, { namespace: 'default', name });
      await expect.poll(() => refusalOf('lvm'), patience).toBe('NoQuerier');
    });

    it('forgets a class that is deleted, and says BackendMissing when Ceph is removed', async () => {
      const { client } = server();
      await client.delete(kinds.storageClasses, { name: 'lvm' });
      await expect.poll(() => find('lvm'), patience).toBeUndefined();
      await client.delete(ceph.clusters, { namespace, name: 'my-cluster' });
      await expect.poll(() => refusalOf('beta3'), patience).toBe('BackendMissing');
      expect(find('beta3')).not.toHaveProperty('amount');
    });
  });
}
