import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { StorageWatch } from '@quartermaster/inventory/storage';
import { KubeClient, kinds } from '@quartermaster/kube';
import {
  ImageRegistry,
  loadScenario,
  type Play,
  playScenario,
  type Scenario,
  type SimulatedServer,
  startSimulatedServer,
} from '@quartermaster/simulator';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ceph, gib, install, KnownNodes, patience, put, setStatus, storageClass, volume, watchStorage } from './storage-fixtures.ts';

const rbd = 'rook-ceph.rbd.csi.ceph.com';
const ownToolsImage = 'registry.example/ceph-tools-under-test';

/** Pool -> stored and max_avail in GiB; undefined makes Ceph fail. */
let answer: Readonly<Record<string, readonly [stored: number, maxAvail: number]>> | undefined;
let failures = 0;

function tools(): ImageRegistry {
  const images = new ImageRegistry();
  images.register(ownToolsImage, () => ({
    run: (_context, signal) =>
      new Promise((resolve) => {
        signal.addEventListener('abort', () => resolve(0), { once: true });
      }),
    exec: async (_context, command, io) => {
      if (command.join(' ') !== 'ceph df detail --format json') {
        await io.write(`unknown: ${command.join(' ')}\n`, 'stderr');
        return 22;
      }
      if (answer === undefined) {
        failures += 1;
        await io.write('timed out\n', 'stderr');
        return 1;
      }
      const pools = Object.entries(answer).map(([name, [stored, maxAvail]]) => ({
        name,
        stats: { stored: stored * gib, max_avail: maxAvail * gib, quota_bytes: 0 },
      }));
      await io.write(JSON.stringify({ stats: {}, pools }));
      return 0;
    },
  }));
  return images;
}

describe('Ceph asked through its toolbox, on the simulated cluster', () => {
  let server: SimulatedServer;
  let directory: string;
  let client: KubeClient;
  let play: Play;
  let watch: StorageWatch;

  beforeAll(async () => {
    server = await startSimulatedServer();
    directory = await mkdtemp(join(tmpdir(), 'storage-toolbox-'));
    const kubeconfig = join(directory, 'kubeconfig');
    await writeFile(kubeconfig, server.kubeconfig, { mode: 0o600 });
    client = await KubeClient.connect({ kubeconfig });
    const identity = await server.issueCertificate({ commonName: 'simulated-kubelet', hosts: ['127.0.0.1'] });
    const small = await loadScenario('small');
    const scenario: Scenario = {
      ...small,
      tenants: [],
      timing: { ...small.timing, podStartMs: 0 },
      storage: {
        classes: [],
        ceph: {
          namespace: 'rook-ceph',
          pools: [
            { name: 'replicated', sizeGiB: 1000, usedGiB: 400, replicas: 3 },
            { name: 'spare', sizeGiB: 500, usedGiB: 0, replicas: 2 },
          ],
        },
      },
    };
    const kubelet = { ...identity, clientAuthority: server.certificateAuthority };
    play = await playScenario({ client, scenario, images: tools(), server: kubelet, ownControl: true });
    for (const kind of [ceph.clusters, ceph.blockPools]) await install(client, kind);
    await storageClass(client, 'beta3', rbd, { clusterID: 'rook-ceph', pool: 'replicated' });
    await storageClass(client, 'beta2', rbd, { clusterID: 'rook-ceph', pool: 'spare' });
    watch = watchStorage(client, new KnownNodes());
    await watch.whenReady(AbortSignal.timeout(60_000));
  });

  afterAll(async () => {
    await watch?.stop();
    await play?.stop();
    await client?.close();
    await server?.stop();
    await rm(directory, { recursive: true, force: true });
  });

  const find = (name: string) => watch.current().find((each) => each.class === name);
  const inGib = (name: string): Record<string, number> =>
    Object.fromEntries(Object.entries(find(name)?.amount ?? {}).map(([key, bytes]) => [key, Number(bytes) / gib]));

  it('has the usable size of each pool: what is stored and what still fits', async () => {
    await expect
      .poll(() => inGib('beta3'), patience)
      .toEqual({ capacity: 1000, allocatable: 600, allocated: 0, available: 600, overcommitted: 0 });
    expect(inGib('beta2')).toMatchObject({ capacity: 500, available: 500 });
    expect(find('beta3')).toMatchObject({ replicas: 3, sharesSpaceWith: ['beta2'] });
    expect(find('beta3')).toMatchObject({ refusal: undefined });
  });

  it('takes unwritten promises off every pool on the same devices, and written ones off none', async () => {
    const attributes = { clusterID: 'rook-ceph', pool: 'replicated' };
    const csi = { driver: rbd, volumeHandle: 'a', volumeAttributes: attributes };
    await client.create(kinds.persistentVolumes, volume('a', 'beta3', '500Gi', { csi }));
    // 400 of the 500 are stored; 100 × 3 raw are not written yet, which are 150 in the pool that is replicated twice.
    await expect
      .poll(() => [inGib('beta3'), inGib('beta2')], patience)
      .toMatchObject([
        { allocated: 500, available: 500 },
        { allocatable: 350, available: 350 },
      ]);
  });

  describe('with three pools of different redundancy', () => {
    const namespace = 'ceph-two';
    const cluster = { metadata: { namespace, name: 'second' } };
    const classes = { thrice: 'c3', twice: 'c2', coded: 'c42' };

    beforeAll(async () => {
      // Half full: of 12 000 GiB raw 6 000 are used and 5 400 can still be written.
      answer = { thrice: [800, 1800], twice: [900, 2700], coded: [1200, 3600] };
      await client.create(kinds.namespaces, { metadata: { name: namespace } });
      const status = { phase: 'Ready', state: 'Created', ceph: { health: 'HEALTH_OK' } };
      await put(client, ceph.clusters, { ...cluster, spec: {}, status });
      const pool = (name: string, spec: object) => put(client, ceph.blockPools, { metadata: { namespace, name }, spec });
      await pool('thrice', { replicated: { size: 3 } });
      await pool('twice', { replicated: { size: 2 } });
      await pool('coded', { erasureCoded: { dataChunks: 4, codingChunks: 2 } });
      const promised = { thrice: '1000Gi', twice: '1500Gi', coded: '900Gi' };
      for (const [name, className] of Object.entries(classes)) {
        await storageClass(client, className, rbd, { clusterID: namespace, pool: 'thrice', dataPool: name });
        const volumeAttributes = { clusterID: namespace, pool: 'thrice', dataPool: name };
        const csi = { driver: rbd, volumeHandle: name, volumeAttributes };
        const size = promised[name as keyof typeof promised];
        await client.create(kinds.persistentVolumes, volume(`${className}-volume`, className, size, { csi }));
      }
      const labels = { app: 'rook-ceph-tools' };
      const spec = { containers: [{ name: 'rook-ceph-tools', image: ownToolsImage }] };
      await client.create(kinds.deployments, {
        metadata: { namespace, name: 'rook-ceph-tools' },
        spec: { replicas: 1, selector: { matchLabels: labels }, template: { metadata: { labels }, spec } },
      });
    });

    const available = () => Object.values(classes).map((name) => inGib(name)['available']);
    const lookedAgain = async (health: string) => {
      const lastChecked = new Date().toISOString();
      await setStatus(client, ceph.clusters, { ...cluster, status: { ceph: { health, lastChecked } } });
    };

    it('is worked out by hand when half full', async () => {
      await expect.poll(available, patience).toEqual([1200, 1800, 2400]);
      expect(inGib('c3')).toEqual({ capacity: 2600, allocatable: 2200, allocated: 1000, available: 1200, overcommitted: 0 });
      expect(find('c42')).toMatchObject({ sharesSpaceWith: ['c2', 'c3'] });
    });

    it('is worked out by hand when nearly full, and never negative', async () => {
      answer = { thrice: [1700, 100], twice: [1500, 150], coded: [2000, 200] };
      await lookedAgain('HEALTH_WARN');
      // Nothing but what the other pools have promised and not yet written is missing: they have promised less than they store.
      await expect.poll(available, patience).toEqual([100, 150, 200]);
      const csi = { driver: rbd, volumeHandle: 'late', volumeAttributes: { clusterID: namespace, pool: 'thrice' } };
      await client.create(kinds.persistentVolumes, volume('late', 'c3', '1500Gi', { csi }));
      await expect.poll(() => inGib('c3'), patience).toMatchObject({ allocated: 2500, available: 0, overcommitted: 700 });
      await expect.poll(available, patience).toEqual([0, 0, 0]);
    });

    // A question that comes while another waits for its answer is asked half a minute later.
    it('keeps the last figures while the toolbox fails, and goes on when it answers again', { timeout: 150_000 }, async () => {
      answer = undefined;
      const failsAgain = async (health: string) => {
        const failed = failures;
        await lookedAgain(health);
        await expect.poll(() => failures, patience).toBeGreaterThan(failed);
      };
      // One question at a time: what was answered before has been taken by then.
      await failsAgain('HEALTH_OK');
      const before = find('c2');
      await failsAgain('HEALTH_WARN');
      await client.delete(kinds.persistentVolumes, { name: 'late' });
      await expect.poll(available, patience).toEqual([100, 150, 200]);
      expect(find('c2')?.observedAt).toBe(before?.observedAt);
      answer = { thrice: [1700, 200], twice: [1500, 300], coded: [2000, 400] };
      await lookedAgain('HEALTH_OK');
      await expect.poll(available, patience).toEqual([200, 300, 400]);
    });
  });
});
