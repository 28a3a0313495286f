import { type KubeObject, kinds, resourceType } from '@quartermaster/kube';
import { expect, it } from 'vitest';
import { failureFrom, patience, pod, podNamespace, uniqueName } from './client-fixtures.ts';
import { evictionOf } from './client-subresources.ts';
import { describeClient } from './client-suites.ts';
import { openRealServer } from './real-server.ts';
import { withServer } from './with-server.ts';

interface Budget extends KubeObject {
  readonly spec?: { readonly minAvailable: number; readonly selector: { readonly matchLabels: Readonly<Record<string, string>> } };
  readonly status?: { readonly disruptionsAllowed: number; readonly currentHealthy: number };
}

const budgets = resourceType<Budget>({
  group: 'policy',
  version: 'v1',
  kind: 'PodDisruptionBudget',
  plural: 'poddisruptionbudgets',
  namespaced: true,
});

const server = withServer(openRealServer);

describeClient(server);

// The simulator stores disruption budgets and heeds none.
it('an eviction that a disruption budget forbids is answered at once as throttled without a time to wait', async () => {
  const namespace = await podNamespace(server());
  const { client } = server();
  const ref = { namespace, name: 'web' };
  const waiting = pod(namespace, 'web', { app: 'web' });
  await client.create(kinds.pods, { ...waiting, spec: { containers: [], ...waiting.spec, nodeName: uniqueName('node') } });
  const ready = { status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] } };
  await client.patch(kinds.pods, ref, { kind: 'merge', body: ready }, { subresource: 'status' });
  await client.create(budgets, { metadata: ref, spec: { minAvailable: 1, selector: { matchLabels: { app: 'web' } } } });
  await expect.poll(async () => (await client.get(budgets, ref)).status?.currentHealthy, patience).toBe(1);
  const refused = client.createSubresource(kinds.pods, ref, 'eviction', evictionOf(namespace, 'web'));
  expect(await failureFrom(refused)).toEqual({ kind: 'throttled', retryAfterMs: undefined });
  expect((await client.get(kinds.pods, ref)).metadata?.deletionTimestamp).toBeUndefined();
});
