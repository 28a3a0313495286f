import { cp, rm } from 'node:fs/promises';
import path from 'node:path';
import { seededRandom } from '@quartermaster/kernel';
import { type KubeClient, kinds } from '@quartermaster/kube';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import type { ControlPlane } from '../kube/control-plane.ts';
import { churn } from '../support/churn.ts';
import { startChurnThread } from '../support/churn-thread.ts';
import { type FaultyCache, startFaultyCache } from '../support/faulty-cache.ts';
import { type FaultyServer, startFaultyServer } from '../support/faulty-server.ts';
import type { LoopbackProxy } from '../support/loopback-proxy.ts';

const soon = { timeout: 60_000, interval: 50 };

/** Without the API server's own watch cache every watch reads etcd, so that a compaction really takes versions away. */
const withoutWatchCache = ['--watch-cache=false'];

describe('a cache while the API server fails', () => {
  let server: FaultyServer;
  let controlPlane: ControlPlane;
  let admin: KubeClient;
  let proxy: LoopbackProxy;
  let throughProxy: string;
  let cache: FaultyCache | undefined;

  beforeAll(async () => {
    server = await startFaultyServer({ apiserverArgs: withoutWatchCache });
    ({ controlPlane, admin, proxy } = server);
    const certificate = await controlPlane.certificateAuthority.issueClient({ commonName: 'admin', organizations: ['system:masters'] });
    throughProxy = await controlPlane.writeKubeconfig({ user: { certificate }, server: proxy.url });
  });

  afterEach(async () => {
    proxy.mode = 'forward';
    await cache?.stop();
    cache = undefined;
  });

  afterAll(async () => {
    await server?.stop();
  });

  it('loses nothing when the server is killed and started again in the middle of a watch', async () => {
    const namespace = await server.newNamespace();
    cache = await startFaultyCache(controlPlane.kubeconfig, namespace);
    await cache.cache.whenSynced();
    const writing = churn(admin, namespace, 300, seededRandom(1));
    await vi.waitFor(() => expect(cache?.ledger.told.length).toBeGreaterThan(60), soon);
    await controlPlane.process('kube-apiserver').kill('SIGKILL');
    await vi.waitFor(() => expect(cache?.cache.status()).toMatchObject({ state: 'reconnecting', synced: true }), soon);
    expect(cache.cache.size).toBeGreaterThan(0);
    await controlPlane.process('kube-apiserver').start();
    expect(await writing).toBe(300);
    await cache.expectToMatch(admin);
    await vi.waitFor(() => expect(cache?.cache.status()).toMatchObject({ state: 'watching', lastError: undefined }), soon);
  });

  it('shows its last knowledge as stale, not as gone, while the server is away', async () => {
    const namespace = await server.newNamespace();
    await churn(admin, namespace, 50, seededRandom(2));
    cache = await startFaultyCache(throughProxy, namespace);
    await cache.cache.whenSynced();
    const size = cache.cache.size;
    proxy.mode = 'refuse';
    proxy.cut();
    await vi.waitFor(() => expect(cache?.cache.status().counters.errors).toBeGreaterThan(3), soon);
    const status = cache.cache.status();
    expect(status).toMatchObject({ synced: true, state: 'reconnecting', objects: size });
    expect(status.staleMs).toBeGreaterThan(0);
    expect(cache.ledger.told.filter((what) => what.startsWith('deleted'))).toEqual([]);
    proxy.mode = 'forward';
    await cache.expectToMatch(admin);
  });

  it('lists again after a compaction took its version away, and tells what was deleted meanwhile', async () => {
    const namespace = await server.newNamespace();
    await churn(admin, namespace, 80, seededRandom(3));
    cache = await startFaultyCache(throughProxy, namespace);
    await cache.cache.whenSynced();
    const before = [...cache.ledger.objects.keys()];
    proxy.mode = 'refuse';
    proxy.cut();
    await churn(admin, namespace, 120, seededRandom(4));
    await admin.delete(kinds.configMaps, { namespace, name: before[0]?.split('/')[1] ?? '' });
    await controlPlane.compact();
    proxy.mode = 'forward';
    await cache.expectToMatch(admin);
    expect(cache.cache.status().counters).toMatchObject({ lists: 2, expirations: 1 });
    expect(cache.ledger.told).toContain(`deleted ${before[0]}`);
  });

  it('resumes without a new list when the connection broke and the version is still there', async () => {
    const namespace = await server.newNamespace();
    cache = await startFaultyCache(throughProxy, namespace);
    await cache.cache.whenSynced();
    for (let round = 0; round < 5; round += 1) {
      await churn(admin, namespace, 20, seededRandom(10 + round));
      proxy.cut();
    }
    await cache.expectToMatch(admin);
    expect(cache.cache.status().counters.lists).toBe(1);
    expect(cache.cache.status().counters.errors).toBeGreaterThan(0);
  });

  it('finds out by silence that a connection is half open, and resumes on a new one', async () => {
    const namespace = await server.newNamespace();
    cache = await startFaultyCache(throughProxy, namespace, { silenceMs: 1_500 });
    await cache.cache.whenSynced();
    await churn(admin, namespace, 30, seededRandom(20));
    await cache.expectToMatch(admin);
    proxy.freezeOpenConnections();
    await churn(admin, namespace, 60, seededRandom(21));
    await cache.expectToMatch(admin);
    const { lists, silences } = cache.cache.status().counters;
    expect(lists).toBe(1);
    expect(silences).toBeGreaterThan(0);
  });

  it('loses nothing when its consumer is slower than the server', async () => {
    const namespace = await server.newNamespace();
    cache = await startFaultyCache(throughProxy, namespace);
    await cache.cache.whenSynced();
    // The writer is a thread of its own: the first change holds this one up until everything is written.
    const writer = startChurnThread({ kubeconfig: controlPlane.kubeconfig, namespace, writes: 400, seed: 30 });
    let wasSlower: boolean | undefined;
    cache.cache.subscribe({ added: () => void (wasSlower ??= writer.waitForAll()) });
    expect(await writer.ended).toBe(400);
    await cache.expectToMatch(admin);
    expect(wasSlower).toBe(true);
  });

  it('reads everything again when the server was restored from an older backup', async () => {
    const namespace = await server.newNamespace();
    await churn(admin, namespace, 30, seededRandom(40));
    const data = path.join(controlPlane.directory, 'etcd');
    await whileDown(() => cp(data, `${data}-backup`, { recursive: true }));
    cache = await startFaultyCache(controlPlane.kubeconfig, namespace);
    await cache.cache.whenSynced();
    await churn(admin, namespace, 60, seededRandom(41));
    await cache.expectToMatch(admin);
    const newest = cache.cache.status().resourceVersion;
    await whileDown(async () => {
      await rm(data, { recursive: true });
      await cp(`${data}-backup`, data, { recursive: true });
    });
    await cache.expectToMatch(admin);
    expect(BigInt(cache.cache.status().resourceVersion ?? '')).toBeLessThan(BigInt(newest ?? ''));
    expect(cache.cache.status().counters.lists).toBe(2);
  });

  async function whileDown(action: () => Promise<void>): Promise<void> {
    await controlPlane.process('kube-apiserver').kill('SIGKILL');
    await controlPlane.process('etcd').kill('SIGTERM');
    await action();
    await controlPlane.process('etcd').start();
    await controlPlane.process('kube-apiserver').start();
  }
});
