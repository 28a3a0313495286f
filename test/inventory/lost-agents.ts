import { nodeHardwareType } from '@quartermaster/api/node-hardware';
import type { Inventory } from '@quartermaster/inventory';
import { DiscoveryAgent, discoveryRole } from '@quartermaster/inventory/discovery';
import { type KubeClient, kinds } from '@quartermaster/kube';
import type { Pod } from '@quartermaster/kube/shapes';
import { buildHardware, ImageRegistry, NodePool, type NodeSpec } from '@quartermaster/simulator';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { applyDeployment } from '../deploy/apply-deployment.ts';
import { startInventory } from './fresh-inventory.ts';
import { operatorNamespace as namespace, type OperatorCluster, patience } from './operator-cluster.ts';

export interface LostAgentsOptions {
  readonly start: () => Promise<OperatorCluster>;
  /** Whoever makes pods of DaemonSets, until the signal aborts; absent where the cluster has its own. */
  readonly control?: ((client: KubeClient, signal: AbortSignal) => Promise<unknown>) | undefined;
  readonly count: number;
  readonly rounds: number;
}

function nodeSpec(index: number): NodeSpec {
  const name = `gpu-${index}`;
  const gpus = [{ model: 'h100' as const, count: 8 }];
  return { name, index, hardware: buildHardware({ cpu: 'epyc-7763', sockets: 1, memoryGiB: 256, gpus }, name, 7) };
}

/** Our image on simulated nodes: the agent itself, on the machine of its node. */
function images(client: KubeClient): ImageRegistry {
  const registry = new ImageRegistry();
  registry.register('quartermaster', () => ({
    run: ({ node, machine, devices }, signal) =>
      new DiscoveryAgent({
        reader: machine,
        node: node.name,
        client,
        holders: { list: async () => devices.list() },
        architecture: 'amd64',
      }).run(signal),
  }));
  return registry;
}

/** What is left of what agents found while they are gone. */
export function describeLostAgents({ start, control, count, rounds }: LostAgentsOptions): void {
  const nodes = Array.from({ length: count }, (_, index) => nodeSpec(index));

  describe(`${count * rounds} agents deleted on ${count} nodes`, () => {
    let cluster: OperatorCluster;
    let client: KubeClient;
    let pool: NodePool;
    let inventory: Inventory;
    const ending = new AbortController();
    let controlling: Promise<unknown> | undefined;
    const incomplete: string[] = [];

    beforeAll(async () => {
      cluster = await start();
      ({ client } = cluster);
      const { signal } = ending;
      controlling = control?.(client, signal);
      pool = await NodePool.start({ client, nodes, images: images(client), podStartMs: 0, events: false });
      await applyDeployment(client, discoveryRole);
      inventory = await startInventory(client);
      await vi.waitUntil(() => nodes.every(({ name }) => isKnown(name)), { ...patience, timeout: 100_000 });
      inventory.feed.onGeneration(() => incomplete.push(...nodes.flatMap(({ name }) => (isKnown(name) ? [] : [name]))));
    });

    afterAll(async () => {
      await inventory?.stop();
      await pool?.stop();
      ending.abort();
      await controlling;
      await cluster?.stop();
    });

    /** Whether the facts of a node are all there. */
    function isKnown(name: string): boolean {
      const node = inventory.feed.node(name);
      const [gpus] = node?.gpus ?? [];
      return node?.hardware.observedAt !== undefined && gpus?.model === 'h100' && gpus.amount.available === 8 && node.devices.length === 8;
    }

    const agents = async (): Promise<readonly Pod[]> => (await client.list(kinds.pods, { namespace })).items;
    const running = async (): Promise<readonly Pod[]> =>
      (await agents()).filter(({ metadata, status }) => status?.phase === 'Running' && metadata?.deletionTimestamp === undefined);
    const reports = async () =>
      (await client.list(nodeHardwareType)).items.map(({ metadata, spec }) => ({ name: metadata?.name, uid: metadata?.uid, spec }));

    it('come back by themselves, and what they had found out is there all the time', { timeout: 120_000 }, async () => {
      await vi.waitUntil(async () => (await running()).length === nodes.length, patience);
      const before = await reports();
      expect(before).toHaveLength(nodes.length);
      const deleted = new Set<string>();
      for (let round = 0; round < rounds; round += 1) {
        const present = await running();
        for (const { metadata } of present) deleted.add(metadata?.uid ?? '');
        await client.deleteCollection(kinds.pods, { namespace }, { gracePeriodSeconds: 0 });
        await vi.waitUntil(async () => {
          const back = await running();
          return back.length === nodes.length && back.every(({ metadata }) => !deleted.has(metadata?.uid ?? ''));
        }, patience);
        expect((await reports()).map(({ name, uid }) => [name, uid])).toEqual(before.map(({ name, uid }) => [name, uid]));
      }
      expect(deleted.size).toBe(rounds * nodes.length);
      expect(new Set((await running()).map(({ spec }) => spec?.nodeName))).toEqual(new Set(nodes.map(({ name }) => name)));
      // An agent that finds the machine as it was has nothing to write.
      expect(await reports()).toEqual(before);
      expect(nodes.every(({ name }) => isKnown(name))).toBe(true);
      expect(incomplete).toEqual([]);
    });
  });
}
