import { readFile, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { seededRandom } from '@quartermaster/kernel';
import { isFailure, KubeClient, kinds } from '@quartermaster/kube';
import { afterAll, beforeAll, describe, expect, it, type TestContext, vi } from 'vitest';
import type { ControlPlane } from '../kube/control-plane.ts';
import { churn } from '../support/churn.ts';
import { type FaultyCache, startFaultyCache } from '../support/faulty-cache.ts';
import { type FaultyServer, startFaultyServer } from '../support/faulty-server.ts';
import { LoopbackProxy } from '../support/loopback-proxy.ts';

const soon = { timeout: 60_000, interval: 100 };
/** Of what is to run out: long enough for a cache to start with it on a busy machine. */
const lifetimeSeconds = 15;

/** The cases run side by side: most of each is waiting until the server has forgotten that it believed something. */
describe.concurrent('a cache while its identity or the server’s changes', { timeout: 120_000 }, () => {
  let server: FaultyServer;
  let controlPlane: ControlPlane;
  let admin: KubeClient;

  beforeAll(async () => {
    server = await startFaultyServer();
    ({ controlPlane, admin } = server);
  });

  afterAll(async () => {
    await server?.stop();
  });

  /** A namespace, a way to the server and caches of a test's own, until it is finished. */
  async function scene({ onTestFinished }: Pick<TestContext, 'onTestFinished'>) {
    const proxy = await LoopbackProxy.start(controlPlane.server);
    onTestFinished(() => proxy.stop());
    const namespace = await server.newNamespace();
    const startCache = async (kubeconfig: string, options: { readonly reloadIntervalMs?: number } = {}): Promise<FaultyCache> => {
      const cache = await startFaultyCache(kubeconfig, namespace, options);
      onTestFinished(() => cache.stop());
      await cache.cache.whenSynced();
      return cache;
    };
    return { proxy, namespace, startCache };
  }

  /** A service account that may read, and a way to sign tokens for it. */
  async function reader(namespace: string): Promise<(expiresInSeconds: number) => string> {
    const account = await admin.create(kinds.serviceAccounts, { metadata: { namespace, name: 'reader' } });
    await admin.create(kinds.roleBindings, {
      metadata: { namespace, name: 'reader' },
      subjects: [{ kind: 'ServiceAccount', name: 'reader', namespace }],
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' },
    });
    const uid = account.metadata?.uid ?? '';
    return (expiresInSeconds) => controlPlane.serviceAccountToken({ namespace, name: 'reader', uid, expiresInSeconds });
  }

  /** As a kubelet or a certificate manager does it: readers see the old file or the new one. */
  async function replaceFile(file: string, contents: string): Promise<void> {
    await writeFile(`${file}.new`, contents);
    await rename(`${file}.new`, file);
  }

  async function waitUntilRefused(kubeconfig: string, namespace: string): Promise<void> {
    await vi.waitFor(async () => {
      const client = await KubeClient.connect({ kubeconfig });
      try {
        await expect(client.list(kinds.configMaps, { namespace })).rejects.toSatisfy((error: unknown) =>
          isFailure(error, 'unauthorized', 'connection'),
        );
      } finally {
        await client.close();
      }
    }, soon);
  }

  it('goes on with the renewed token after the old one expired', async (context) => {
    const { proxy, namespace, startCache } = await scene(context);
    const sign = await reader(namespace);
    const tokenFile = path.join(controlPlane.directory, 'reader-token');
    await writeFile(tokenFile, sign(lifetimeSeconds));
    const kubeconfig = await controlPlane.writeKubeconfig({ user: { tokenFile }, server: proxy.url });
    const cache = await startCache(kubeconfig, { reloadIntervalMs: 3_600_000 });
    await waitUntilRefused(kubeconfig, namespace);
    proxy.cut();
    await churn(admin, namespace, 60, seededRandom(1));
    await vi.waitFor(() => expect(cache.cache.status().lastError).toContain('Unauthorized'), soon);
    expect(cache.cache.status().synced).toBe(true);
    await replaceFile(tokenFile, sign(3600));
    await cache.expectToMatch(admin);
  });

  it('asks the exec plugin again when the server refuses the token that it gave', async (context) => {
    const { proxy, namespace, startCache } = await scene(context);
    const sign = await reader(namespace);
    const tokenFile = path.join(controlPlane.directory, 'plugin-token');
    await writeFile(tokenFile, sign(lifetimeSeconds));
    const script = `const token = require('node:fs').readFileSync(process.argv[1], 'utf8');
      console.log(JSON.stringify({ apiVersion: 'client.authentication.k8s.io/v1', kind: 'ExecCredential', status: { token } }))`;
    const exec = { command: process.execPath, args: ['-e', script, tokenFile] };
    const kubeconfig = await controlPlane.writeKubeconfig({ user: { exec }, server: proxy.url });
    const cache = await startCache(kubeconfig, { reloadIntervalMs: 3_600_000 });
    await waitUntilRefused(kubeconfig, namespace);
    await replaceFile(tokenFile, sign(3600));
    proxy.cut();
    await churn(admin, namespace, 40, seededRandom(2));
    await cache.expectToMatch(admin);
    expect(cache.cache.status().state).toBe('watching');
  });

  it('goes on with the rotated client certificate after the old one ran out', async (context) => {
    const { proxy, namespace, startCache } = await scene(context);
    const identity = { commonName: 'reader', organizations: ['system:masters'] };
    const certificateFile = path.join(controlPlane.directory, 'reader.crt');
    const keyFile = path.join(controlPlane.directory, 'reader.key');
    const shortLived = await controlPlane.certificateAuthority.issueClient({
      ...identity,
      notAfter: new Date(Date.now() + lifetimeSeconds * 1_000),
    });
    await writeFile(certificateFile, shortLived.certificate);
    await writeFile(keyFile, shortLived.key);
    const kubeconfig = await controlPlane.writeKubeconfig({ user: { certificateFile, keyFile }, server: proxy.url });
    const cache = await startCache(kubeconfig, { reloadIntervalMs: 200 });
    await waitUntilRefused(kubeconfig, namespace);
    proxy.cut();
    await churn(admin, namespace, 40, seededRandom(3));
    await vi.waitFor(() => expect(cache.cache.status().counters.errors).toBeGreaterThan(2), soon);
    const renewed = await controlPlane.certificateAuthority.issueClient(identity);
    await replaceFile(keyFile, renewed.key);
    await replaceFile(certificateFile, renewed.certificate);
    await cache.expectToMatch(admin);
  });

  it('goes on after the server’s certificate was rotated', async (context) => {
    const { proxy, namespace, startCache } = await scene(context);
    const sign = await reader(namespace);
    const kubeconfig = await controlPlane.writeKubeconfig({ user: { token: sign(3600) }, server: proxy.url });
    const cache = await startCache(kubeconfig);
    await controlPlane.rotateServingCertificate();
    await churn(admin, namespace, 20, seededRandom(4));
    proxy.cut();
    await churn(admin, namespace, 20, seededRandom(5));
    await cache.expectToMatch(admin);
    expect(cache.cache.status().counters.lists).toBe(1);
  });

  it('follows a kubeconfig that is rewritten while it runs', async (context) => {
    const { proxy, namespace, startCache } = await scene(context);
    const sign = await reader(namespace);
    const kubeconfig = await controlPlane.writeKubeconfig({ user: { token: sign(lifetimeSeconds) }, server: proxy.url });
    const cache = await startCache(kubeconfig, { reloadIntervalMs: 200 });
    await waitUntilRefused(kubeconfig, namespace);
    const other = await controlPlane.writeKubeconfig({ user: { token: sign(3600) }, server: proxy.url });
    await replaceFile(kubeconfig, await readFile(other, 'utf8'));
    proxy.cut();
    await churn(admin, namespace, 20, seededRandom(6));
    await cache.expectToMatch(admin);
    expect(cache.cache.status().state).toBe('watching');
  });
});
