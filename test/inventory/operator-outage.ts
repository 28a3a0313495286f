import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Inventory } from '@quartermaster/inventory';
import { FakeClock } from '@quartermaster/kernel';
import { KubeClient, kinds } from '@quartermaster/kube';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { LoopbackProxy } from '../support/loopback-proxy.ts';
import { contentsOf, freshContents, startInventory } from './fresh-inventory.ts';
import { addAgent, addNode, addPod, hardwareOf, type OperatorCluster, patience, removePod, report } from './operator-cluster.ts';

const nodes = ['gpu-0', 'gpu-1', 'gpu-2'];
const outageSeconds = 300;
const stepSeconds = 5;
const resets = 10;

/** What the inventory makes of an API server that it cannot reach. The time of the inventory is the test's. */
export function describeOutage(cluster: () => OperatorCluster): void {
  describe('an API server that is away for five minutes', () => {
    const clock = new FakeClock();
    let proxy: LoopbackProxy;
    let directory: string;
    let admin: KubeClient;
    let client: KubeClient;
    let inventory: Inventory;

    beforeAll(async () => {
      const config = await readFile(cluster().kubeconfig, 'utf8');
      const url = /server: "?([^"\s]+)/.exec(config)?.[1] ?? '';
      proxy = await LoopbackProxy.start(url);
      directory = await mkdtemp(join(tmpdir(), 'operator-outage-'));
      const kubeconfig = join(directory, 'proxied');
      await writeFile(kubeconfig, config.replaceAll(url, proxy.url), { mode: 0o600 });
      admin = cluster().client;
      client = await KubeClient.connect({ kubeconfig });
      for (const name of nodes) {
        await addNode(admin, name);
        await report(admin, name, hardwareOf(name));
        await addAgent(admin, name);
        await addPod(admin, `pod-of-${name}`, name, { gpus: 3 });
      }
      inventory = await startInventory(client, { clock });
      await until(() => inventory.feed.state()?.completeness.complete === true);
    });

    afterAll(async () => {
      await inventory?.stop();
      await client?.close();
      await proxy?.stop();
      for (const name of nodes) await admin.delete(kinds.nodes, { name });
      await rm(directory, { recursive: true, force: true });
    });

    /** Lets the time of the inventory pass until it is so, but not so fast that a busy server answers too late for its patience. */
    async function until(isSo: () => boolean): Promise<void> {
      await vi.waitFor(
        async () => {
          await clock.advance(100);
          expect(isSo()).toBe(true);
        },
        { ...patience, interval: 5 },
      );
    }

    const staleSources = () => new Map(inventory.feed.current()?.completeness.stale.map((each) => [each.source, each]));

    it('leaves the inventory as it was, and says what is not being heard and since when', async () => {
      const before = contentsOf(inventory);
      expect(before).toMatchObject({
        nodes: nodes.map((name) => ({ name, pods: 2, gpus: [{ model: 'h100', amount: { allocated: 3 } }] })),
      });
      const generation = inventory.feed.state()?.generation.sequence ?? 0;
      const cutAt = clock.now();
      proxy.mode = 'refuse';
      proxy.cut();
      await until(() => ['nodes', 'pods', 'hardware'].every((source) => staleSources().has(source)));
      const since = staleSources().get('pods')?.lastContactAt ?? 0;
      expect(since).toBeLessThanOrEqual(cutAt);

      const staleness: number[] = [];
      for (let second = 0; second < outageSeconds; second += stepSeconds) {
        await clock.advance(stepSeconds * 1_000);
        expect(contentsOf(inventory)).toEqual(before);
        const pods = staleSources().get('pods');
        expect(pods?.lastContactAt).toBe(since);
        expect(pods?.reason).not.toBe('');
        staleness.push(clock.now() - (pods?.lastContactAt ?? clock.now()));
      }
      expect(staleness).toEqual(staleness.toSorted((a, b) => a - b));
      expect(staleness.at(-1)).toBeGreaterThanOrEqual(outageSeconds * 1000);
      expect(inventory.feed.state()?.completeness.complete).toBe(false);
      expect([...staleSources().keys()]).toEqual(expect.arrayContaining(['nodes', 'storage-classes', 'persistent-volumes']));
      // Readers are told that it went stale, and not again every second.
      expect((inventory.feed.state()?.generation.sequence ?? 0) - generation).toBeLessThan(50);
      expect(inventory.ledger.drifts).toBe(0);
    });

    it('is caught up with by itself once it is back, with all that happened meanwhile', async () => {
      await removePod(admin, 'pod-of-gpu-0');
      await addPod(admin, 'meanwhile', 'gpu-1', { gpus: 4 });
      proxy.mode = 'forward';
      // The first wait of 5 s is over for all but those that were just failing once more.
      const isHeard = () => inventory.sources.stale().length === 0;
      for (let waited = 0; waited < 3 && !isHeard(); waited += 1) {
        await clock.advance(5_000);
        await vi.waitUntil(isHeard, { timeout: 5_000, interval: 20 }).catch(() => undefined);
      }
      // No more time passes for it: a busy machine may only need longer to answer.
      await expect.poll(() => inventory.sources.stale(), patience).toEqual([]);
      await until(() => inventory.feed.state()?.completeness.complete === true);
      await until(() => inventory.feed.node('gpu-1')?.pods === 3 && inventory.feed.node('gpu-0')?.pods === 1);
      expect(inventory.feed.node('gpu-1')?.gpus[0]?.amount).toMatchObject({ allocated: 7, available: 1 });
      const exact = await freshContents(admin);
      await until(() => shown(contentsOf(inventory)) === shown(exact));
      expect(contentsOf(inventory)).toEqual(exact);
    });

    it('may reset every connection again and again while pods come and go: in the end the inventory is exact', async () => {
      const { pods } = inventory.sources;
      for (let reset = 0; reset < resets; reset += 1) {
        const { watches } = pods.status().counters;
        await addPod(admin, `short-${reset}`, nodes[reset % nodes.length] ?? '', { cpu: `${reset + 1}m` });
        proxy.cut();
        if (reset >= 3) await removePod(admin, `short-${reset - 3}`);
        // Only a watch that has been answered can be cut: what is still on its way to the server is not there yet.
        await until(() => pods.status().counters.watches > watches && pods.status().state === 'watching');
      }
      await until(() => inventory.feed.state()?.completeness.complete === true && pods.get(`lease-1/short-${resets - 1}`) !== undefined);
      const exact = await freshContents(admin);
      await until(() => shown(contentsOf(inventory)) === shown(exact));
      expect(contentsOf(inventory)).toEqual(exact);
      expect(inventory.ledger.drifts).toBe(0);
    });
  });
}

/** Texts of amounts of any size. */
const shown = (contents: object): string =>
  JSON.stringify(contents, (_key, value: unknown) => (typeof value === 'bigint' ? String(value) : value));
