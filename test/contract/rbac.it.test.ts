import { type KubeClient, kinds, startCache } from '@quartermaster/kube';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { configMap, failureKind } from './client-fixtures.ts';
import { connect, robotToken, Workbench } from './client-kubeconfigs.ts';
import { openRealServer } from './real-server.ts';
import { withServer } from './with-server.ts';

/** Permissions are the real server's job: the simulator knows who asks, and lets everybody. */
describe('an account without rights on the real API server', () => {
  const server = withServer(openRealServer);

  /** A client of a new service account `nobody`. */
  async function nobody(namespace: string): Promise<KubeClient> {
    const { token } = await robotToken(server(), namespace, 'nobody');
    return await connect({ kubeconfig: await (await Workbench.open(server())).kubeconfig({ token }) });
  }

  it('is told that what it asks for is forbidden', async () => {
    const namespace = await server().namespace();
    const client = await nobody(namespace);
    expect(await failureKind(client.list(kinds.configMaps, { namespace }))).toBe('forbidden');
    expect(await failureKind(client.find(kinds.configMaps, { namespace, name: 'nothing' }))).toBe('forbidden');
    expect(await failureKind(client.create(kinds.configMaps, configMap(namespace, 'settings')))).toBe('forbidden');
  });

  it('has a cache that says why it is not synced and retries until it may read', async () => {
    const namespace = await server().namespace();
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
    await server().client.create(kinds.roleBindings, { metadata: { namespace, name: 'nobody-views' }, subjects, roleRef });
    await cache.whenSynced(AbortSignal.timeout(20_000));
  });
});
