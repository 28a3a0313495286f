import { KubeClient, kinds, startCache } from '@quartermaster/kube';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { type ControlPlane, startControlPlane } from '../kube/control-plane.ts';
import { configMap, failureKind } from './client-fixtures.ts';
import { namespaces } from './contract-server.ts';

/** Permissions are the real server's job: the simulator knows who asks, and lets everybody. */
describe('an account without rights on the real API server', () => {
  let controlPlane: ControlPlane;
  let admin: KubeClient;
  let makeNamespace: () => Promise<string>;

  beforeAll(async () => {
    // Its controllers fill the role `view` in.
    controlPlane = await startControlPlane({ scheduler: false });
    admin = await KubeClient.connect({ kubeconfig: controlPlane.kubeconfig });
    makeNamespace = namespaces(admin);
  });

  afterAll(async () => {
    await admin?.close();
    await controlPlane?.stop();
  });

  /** A client of a new service account `nobody`. */
  async function nobody(namespace: string): Promise<KubeClient> {
    const account = await admin.create(kinds.serviceAccounts, { metadata: { namespace, name: 'nobody' } });
    const uid = account.metadata?.uid ?? '';
    const token = controlPlane.serviceAccountToken({ namespace, name: 'nobody', uid, expiresInSeconds: 3600 });
    const client = await KubeClient.connect({ kubeconfig: await controlPlane.writeKubeconfig({ user: { token } }) });
    onTestFinished(() => client.close());
    return client;
  }

  it('is told that what it asks for is forbidden', async () => {
    const namespace = await makeNamespace();
    const client = await nobody(namespace);
    expect(await failureKind(client.list(kinds.configMaps, { namespace }))).toBe('forbidden');
    expect(await failureKind(client.find(kinds.configMaps, { namespace, name: 'nothing' }))).toBe('forbidden');
    expect(await failureKind(client.create(kinds.configMaps, configMap(namespace, 'settings')))).toBe('forbidden');
  });

  it('has a cache that says why it is not synced and retries until it may read', async () => {
    const namespace = await makeNamespace();
    const cache = startCache(await nobody(namespace), {
      type: kinds.configMaps,
      project: () => ({}),
      namespace,
      backoff: { firstMs: 10, maxMs: 50, factor: 2 },
    });
    onTestFinished(() => cache.stop());
    await vi.waitFor(() => expect(cache.status().counters.errors).toBeGreaterThan(2), { timeout: 20_000, interval: 20 });
    expect(cache.status()).toMatchObject({
      synced: false,
      state: 'reconnecting',
      lastError: expect.stringContaining('forbidden') as string,
    });
    const subjects = [{ kind: 'ServiceAccount', name: 'nobody', namespace }];
    const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' };
    await admin.create(kinds.roleBindings, { metadata: { namespace, name: 'nobody-views' }, subjects, roleRef });
    await cache.whenSynced(AbortSignal.timeout(20_000));
  });
});
