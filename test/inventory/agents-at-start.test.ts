import { KubeClient, type KubeObject, KubeTransport, staticCredentials } from '@quartermaster/kube';
import { expect, it, onTestFinished, vi } from 'vitest';
import { startInventory } from './fresh-inventory.ts';
import { MutantServer } from './mutant-server.ts';
import { hardwareOf, patience, gpuNodeResources as resources } from './operator-cluster.ts';

const identity = (name: string) => ({ name, uid: `uid-of-${name}`, resourceVersion: '1' });

it('knows from the start of an agent that is gone, and expects none of a node that is gone', async () => {
  const server = await MutantServer.start();
  onTestFinished(() => server.stop());
  const status = { capacity: resources, allocatable: resources, conditions: [{ type: 'Ready', status: 'True' }] };
  server.put('/api/v1/nodes', [{ metadata: identity('left-alone'), status } as KubeObject]);
  server.put(
    '/apis/quartermaster.dev/v1alpha1/nodehardwares',
    ['left-alone', 'gone'].map((name): KubeObject & { spec: object } => ({ metadata: identity(name), spec: hardwareOf(name) })),
  );
  const client = new KubeClient(new KubeTransport({ credentials: staticCredentials({ server: server.url }) }));
  onTestFinished(() => client.close());
  const inventory = await startInventory(client, { clusterId: 'agents' });
  onTestFinished(() => inventory.stop());
  await vi.waitUntil(() => inventory.feed.state() !== undefined, patience);
  const node = inventory.feed.node('left-alone');
  const lastContactAt = Date.parse(hardwareOf('left-alone').observedAt);
  expect(node?.stale).toEqual([{ source: 'agent', lastContactAt, reason: 'no agent runs on the node' }]);
  expect(new Set(node?.devices.map(({ state }) => state))).toEqual(new Set(['unknown']));
  expect(inventory.agents.silent).toBe(1);
  expect(inventory.agents.problem()).toBe('1 of 1 agents are silent: no agent runs on the node (left-alone)');
});
