import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { KubeClient, kinds, startCache } from '@quartermaster/kube';
import type { Pod } from '@quartermaster/kube/shapes';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Play, parseScenario, playScenario } from '../src/scenario/index.ts';
import { type SimulatedServer, startSimulatedServer } from '../src/server/simulated-server.ts';

const [nodeCount, perNode] = [500, 20];
const podCount = nodeCount * perNode;
const scenario = parseScenario(
  `
seed: 7
hardware:
  plain: { cpu: epyc-7402, sockets: 1, memoryGiB: 64 }
racks:
  - { name: hall, nodes: [{ prefix: node, hardware: plain, count: ${nodeCount} }] }
tenants:
  - { prefix: tenant, count: 20, runningPods: { perNode: ${perNode} } }
timing: { heartbeatMs: 60000, statusMs: 600000, podStartMs: 0 }
`,
  'large.yaml',
);

describe('a world of 500 nodes and 10 000 pods', { timeout: 120_000 }, () => {
  let directory: string;
  let server: SimulatedServer;
  let client: KubeClient;
  let play: Play;

  const begin = async ({ loadObjects }: { readonly loadObjects: boolean }): Promise<void> => {
    server = await startSimulatedServer({ dataDirectory: join(directory, 'data') });
    const kubeconfig = join(directory, 'kubeconfig');
    await writeFile(kubeconfig, server.kubeconfig, { mode: 0o600 });
    client = await KubeClient.connect({ kubeconfig });
    play = await playScenario({ client, scenario, ownControl: true, loadObjects });
  };
  const end = async (): Promise<void> => {
    await play?.stop();
    await client?.close();
    await server?.stop();
  };

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'simulator-world-'));
    await begin({ loadObjects: true });
  }, 120_000);

  afterAll(async () => {
    await end();
    await rm(directory, { recursive: true, force: true });
  });

  /** All pods, page by page. */
  const pages = async (): Promise<{ readonly pods: readonly Pod[]; readonly resourceVersion: string }> => {
    const pods: Pod[] = [];
    let page = await client.list(kinds.pods, { limit: 700 });
    const { resourceVersion } = page;
    for (;;) {
      pods.push(...page.items);
      if (page.continue === undefined) return { pods, resourceVersion };
      page = await client.list(kinds.pods, { limit: 700, continue: page.continue });
      expect(page.resourceVersion).toBe(resourceVersion);
    }
  };
  const nameOf = ({ metadata }: Pod): string => `${metadata?.namespace}/${metadata?.name}`;

  it('lists every pod once, running on its node, whole or in pages', async () => {
    const { pods } = await pages();
    expect(pods).toHaveLength(podCount);
    expect(new Set(pods.map(nameOf)).size).toBe(podCount);
    expect(pods.every(({ status }) => status?.phase === 'Running')).toBe(true);
    const onNodes = Map.groupBy(pods, ({ spec }) => spec?.nodeName);
    expect([...onNodes.values()].map((each) => each.length)).toEqual(Array.from({ length: nodeCount }, () => perNode));
    const whole = await client.list(kinds.pods);
    // As texts: a comparison that could show each difference takes very long.
    expect(JSON.stringify(whole.items) === JSON.stringify(pods)).toBe(true);
  });

  it('has every node ready', async () => {
    const { items } = await client.list(kinds.nodes);
    const ready = items.filter(({ status }) => status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True'));
    expect(ready).toHaveLength(nodeCount);
  });

  it('answers the same to a get as to a list, and to selectors as to a filter', async () => {
    const { pods } = await pages();
    for (const pod of pods.filter((_, index) => index % 1000 === 0)) {
      const { namespace = '', name = '' } = pod.metadata ?? {};
      expect(await client.get(kinds.pods, { namespace, name })).toEqual(pod);
    }
    const selected = await client.list(kinds.pods, { fieldSelector: 'spec.nodeName=node-17', labelSelector: 'app=running' });
    expect(selected.items).toEqual(pods.filter(({ spec }) => spec?.nodeName === 'node-17'));
  });

  it('goes on from the version of a list without losing or repeating a change', async () => {
    const cache = startCache(client, { type: kinds.pods, project: ({ status }) => status?.phase });
    await cache.whenSynced();
    expect(cache.size).toBe(podCount);
    const events: string[] = [];
    const forget = cache.subscribe({
      updated: ({ key }) => events.push(`updated ${key}`),
      deleted: ({ key }) => events.push(`deleted ${key}`),
    });
    const label = { kind: 'merge', body: { metadata: { labels: { changed: 'yes' } } } } as const;
    await client.patch(kinds.pods, { namespace: 'tenant-1', name: 'running-1' }, label);
    await client.delete(kinds.pods, { namespace: 'tenant-2', name: 'running-2' }, { gracePeriodSeconds: 0 });
    await expect.poll(() => events).toEqual(['updated tenant-1/running-1', 'deleted tenant-2/running-2']);
    forget();
    await cache.stop();
    const counted = await client.list(kinds.pods, { labelSelector: 'changed=yes' });
    expect(counted.items.map(nameOf)).toEqual(['tenant-1/running-1']);
  });

  it('is the same after a restart', async () => {
    const { pods } = await pages();
    await end();
    await begin({ loadObjects: false });
    const after = (await pages()).pods;
    const identities = (each: readonly Pod[]): string => each.map(({ metadata }) => `${metadata?.uid} ${metadata?.name}`).join();
    expect(after).toHaveLength(podCount - 1);
    expect(identities(after) === identities(pods)).toBe(true);
  });
});
