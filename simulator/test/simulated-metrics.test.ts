import { cpSync } from 'node:fs';
import { FakeClock, milliValue, parseQuantity } from '@quartermaster/kernel';
import { failureOf, type KubeClient, type KubeObject, kinds, resourceType } from '@quartermaster/kube';
import { describe, expect, it } from 'vitest';
import { startSimulator, temporaryDirectory } from './running-simulator.ts';

interface Usage {
  readonly cpu: string;
  readonly memory: string;
}

interface Metrics extends KubeObject {
  readonly timestamp?: string;
  readonly window?: string;
  readonly usage?: Usage;
}

const group = { group: 'metrics.k8s.io', version: 'v1beta1' };
const nodeMetrics = resourceType<Metrics>({ ...group, kind: 'NodeMetrics', plural: 'nodes', namespaced: false });

const amount = (text: string | undefined): number => Number(milliValue(parseQuantity(text ?? '0')));

async function addPod(client: KubeClient, name: string, node: string, phase: string): Promise<void> {
  const resources = { requests: { cpu: '4', memory: '8Gi' } };
  await client.create(kinds.pods, {
    metadata: { namespace: 'default', name },
    spec: { nodeName: node, containers: [{ name: 'main', image: 'plain', resources }] },
  });
  await client.patch(kinds.pods, { namespace: 'default', name }, { kind: 'merge', body: { status: { phase } } }, { subresource: 'status' });
}

describe('the simulated metrics server', () => {
  it('tells of nodes a use that fits what the pods request', async () => {
    const { client } = await startSimulator({ metrics: true, clock: new FakeClock() });
    for (const name of ['idle', 'busy']) await client.create(kinds.nodes, { metadata: { name } });
    await addPod(client, 'runs', 'busy', 'Running');
    await addPod(client, 'done', 'idle', 'Succeeded');
    const { items } = await client.list(nodeMetrics);
    const [busy, idle] = items.toSorted((a, b) => (a.metadata?.name ?? '').localeCompare(b.metadata?.name ?? ''));
    expect([busy?.metadata?.name, idle?.metadata?.name]).toEqual(['busy', 'idle']);
    expect(busy).toMatchObject({ window: '15s', metadata: { annotations: { 'simulator.quartermaster.dev/simulated': 'true' } } });
    const used = amount(busy?.usage?.cpu) - amount(idle?.usage?.cpu);
    expect(used).toBeGreaterThanOrEqual(800);
    expect(used).toBeLessThanOrEqual(3200);
    expect(amount(busy?.usage?.memory)).toBeGreaterThan(amount(idle?.usage?.memory));
    expect(await client.get(nodeMetrics, { name: 'busy' })).toMatchObject({ kind: 'NodeMetrics', usage: busy?.usage });
    expect(await client.get(nodeMetrics, { name: 'none' }).catch(failureOf)).toMatchObject({ kind: 'not-found' });
    expect(await client.create(nodeMetrics, { metadata: { name: 'x' } }).catch(failureOf)).toMatchObject({ status: 405 });
  });

  it('measures anew every 15 s', async () => {
    const clock = new FakeClock();
    const { client } = await startSimulator({ metrics: true, clock });
    await client.create(kinds.nodes, { metadata: { name: 'node' } });
    await addPod(client, 'runs', 'node', 'Running');
    const measured = async () => (await client.get(nodeMetrics, { name: 'node' })).usage?.cpu;
    const seen = new Set<string | undefined>();
    for (let windows = 0; windows < 8; windows += 1) {
      const first = await measured();
      expect(await measured()).toBe(first);
      seen.add(first);
      await clock.advance(15_000);
    }
    expect(seen.size).toBeGreaterThan(3);
  });

  it('forgets what a pod used that is gone, and knows the pods of a data directory', async () => {
    const dataDirectory = await temporaryDirectory();
    const clock = new FakeClock();
    const measured = async (client: KubeClient) => (await client.get(nodeMetrics, { name: 'node' })).usage;
    const first = await startSimulator({ metrics: true, clock, dataDirectory });
    await first.client.create(kinds.nodes, { metadata: { name: 'node' } });
    const idle = await measured(first.client);
    await addPod(first.client, 'runs', 'node', 'Running');
    await addPod(first.client, 'goes', 'node', 'Running');
    await first.client.delete(kinds.pods, { namespace: 'default', name: 'goes' }, { gracePeriodSeconds: 0 });
    const busy = await measured(first.client);
    expect(amount(busy?.cpu)).toBeGreaterThan(amount(idle?.cpu));
    const copy = await temporaryDirectory();
    cpSync(dataDirectory, copy, { recursive: true });
    const second = await startSimulator({ metrics: true, clock, dataDirectory: copy });
    expect(await measured(second.client)).toEqual(busy);
    await second.client.delete(kinds.pods, { namespace: 'default', name: 'runs' }, { gracePeriodSeconds: 0 });
    expect(await measured(second.client)).toEqual(idle);
  });

  it('is not there unless asked for', async () => {
    const { client } = await startSimulator();
    expect(await client.list(nodeMetrics).catch(failureOf)).toMatchObject({ kind: 'kind-missing' });
  });
});
