import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { StorageWatch, storageQueriers } from '@quartermaster/inventory/storage';
import { FakeClock } from '@quartermaster/kernel';
import { cacheOpener, KubeClient, kinds } from '@quartermaster/kube';
import { startSimulatedServer } from '@quartermaster/simulator';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ceph, gib, install, KnownNodes, put, storageClass, volume } from './storage-fixtures.ts';

const rbd = 'rook-ceph.rbd.csi.ceph.com';
const namespace = 'rook-ceph';

describe('the storage watch without its API server', () => {
  it('keeps what it knew for as long as it takes, and says since when it has heard nothing', { timeout: 60_000 }, async () => {
    const server = await startSimulatedServer();
    const directory = await mkdtemp(join(tmpdir(), 'storage-away-'));
    onTestFinished(() => rm(directory, { recursive: true, force: true }));
    const kubeconfig = join(directory, 'kubeconfig');
    await writeFile(kubeconfig, server.kubeconfig, { mode: 0o600 });
    const client = await KubeClient.connect({ kubeconfig });
    onTestFinished(() => client.close());

    await client.create(kinds.namespaces, { metadata: { name: namespace } });
    for (const kind of [ceph.clusters, ceph.blockPools]) await install(client, kind);
    const capacity = { bytesTotal: 3000 * gib, bytesUsed: 300 * gib, lastUpdated: '2026-01-01T00:00:00Z' };
    const status = { phase: 'Ready', ceph: { health: 'HEALTH_OK', capacity } };
    await put(client, ceph.clusters, { metadata: { namespace, name: 'main' }, spec: {}, status });
    await put(client, ceph.blockPools, { metadata: { namespace, name: 'blocks' }, spec: { replicated: { size: 3 } } });
    await storageClass(client, 'beta3', rbd, { clusterID: namespace, pool: 'blocks' });
    const csi = { driver: rbd, volumeHandle: 'a', volumeAttributes: { clusterID: namespace, pool: 'blocks' } };
    await client.create(kinds.persistentVolumes, volume('a', 'beta3', '200Gi', { csi }));

    const clock = new FakeClock();
    const known = new KnownNodes();
    const watch = new StorageWatch({
      client,
      caches: cacheOpener(client, { clock }),
      clock,
      isOffered: () => undefined,
      queriers: storageQueriers({ filesystems: known, nodes: known }),
    });
    onTestFinished(() => watch.stop());
    let isReady = false;
    const ready = watch.whenReady(AbortSignal.timeout(30_000)).then(() => {
      isReady = true;
    });
    while (!isReady) await clock.advance(50);
    await ready;
    const before = watch.current();
    expect(before).toMatchObject([{ class: 'beta3', amount: { capacity: 950 * gib, allocated: 200 * gib, available: 750 * gib } }]);
    expect(watch.stale()).toEqual([]);
    const heardAt = clock.now();

    await server.stop();
    for (let seconds = 0; seconds < 300; seconds += 10) await clock.advance(10_000);
    expect(watch.current()).toEqual(before);
    const stale = watch.stale();
    expect(stale.map(({ source }) => source)).toEqual(
      expect.arrayContaining(['storage-classes', 'persistent-volumes', 'persistent-volume-claims', 'ceph-clusters', 'ceph-block-pools']),
    );
    expect(stale.every(({ lastContactAt = 0 }) => lastContactAt <= heardAt)).toBe(true);
  });
});
