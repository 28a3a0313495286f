import { request } from 'node:https';
import { text } from 'node:stream/consumers';
import { systemClock } from '@quartermaster/kernel';
import { KubeClient, type KubeObject, kinds } from '@quartermaster/kube';
import { adminAccess } from '@quartermaster/runtime/host';
import { degraded, Health, Metrics, selfSignedTls, startAdminServer } from '@quartermaster/service';
import { expect, it, onTestFinished } from 'vitest';
import { sharedControlPlane, temporaryNamespace } from '../kube/shared.ts';

interface TokenRequest extends KubeObject {
  readonly spec: object;
  readonly status?: { readonly token: string };
}

it('shows metrics and reasons to whom RBAC of the cluster lets get their path, and one word to all others', async () => {
  await using namespace = await temporaryNamespace();
  const client = await KubeClient.connect({ kubeconfig: sharedControlPlane().kubeconfig });
  onTestFinished(() => client.close());
  const tokenOf = async (name: string): Promise<string> => {
    await client.create(kinds.serviceAccounts, { metadata: { namespace: namespace.name, name } });
    const asked: TokenRequest = { spec: {} };
    return (await client.createSubresource(kinds.serviceAccounts, { namespace: namespace.name, name }, 'token', asked)).status?.token ?? '';
  };
  const name = `metrics-of-${namespace.name}`;
  await client.create(kinds.clusterRoles, { metadata: { name }, rules: [{ nonResourceURLs: ['/metrics'], verbs: ['get'] }] });
  onTestFinished(() => client.delete(kinds.clusterRoles, { name }));
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name };
  const subjects = [{ kind: 'ServiceAccount', namespace: namespace.name, name: 'prometheus' }];
  await client.create(kinds.clusterRoleBindings, { metadata: { name }, roleRef, subjects });
  onTestFinished(() => client.delete(kinds.clusterRoleBindings, { name }));
  const [prometheus, stranger] = [await tokenOf('prometheus'), await tokenOf('stranger')];

  const health = new Health();
  health.register('cache', 'ready', () => degraded('secret-name is slow'));
  const metrics = new Metrics({ process: false });
  metrics.gauge({ name: 'depth', help: 'Depth.' }).set({}, 3);
  const tls = await selfSignedTls({ commonName: 'admin' });
  onTestFinished(() => tls.close());
  const admit = adminAccess({ connect: async () => client, clock: systemClock });
  const server = await startAdminServer({ health, metrics, host: '127.1', tls, admit });
  onTestFinished(() => server.stop(0));
  const ask = (path: string, token?: string): Promise<readonly [number | undefined, string]> =>
    new Promise((resolve, reject) => {
      const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
      request({ host: '127.0.0.1', port: server.port, path, headers, agent: false, rejectUnauthorized: false }, (response) => {
        text(response).then((body) => resolve([response.statusCode, body]), reject);
      })
        .once('error', reject)
        .end();
    });

  for (const token of [undefined, 'made-up', stranger, prometheus]) expect(await ask('/readyz', token)).toEqual([200, 'degraded\n']);
  // The API server takes a moment until it knows of a new binding.
  await expect.poll(() => ask('/metrics', prometheus)).toEqual([200, expect.stringContaining('depth 3')]);
  expect(await ask('/readyz?verbose', prometheus)).toEqual([200, expect.stringContaining('secret-name is slow')]);
  const refused = `system:serviceaccount:${namespace.name}:stranger may not get /metrics: bind it to`;
  // The API server itself lets everybody get /readyz and /livez.
  for (const path of ['/metrics', '/readyz?verbose', '/livez?verbose']) {
    expect(await ask(path, stranger)).toEqual([403, expect.stringContaining(refused)]);
  }
  for (const token of [undefined, 'made-up']) {
    for (const path of ['/metrics', '/readyz?verbose', '/livez?verbose']) {
      expect(await ask(path, token)).toEqual([401, expect.stringContaining('not authenticated: send the header')]);
    }
  }
});
