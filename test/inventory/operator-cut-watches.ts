import type { Inventory } from '@quartermaster/inventory';
import { FakeClock, seededRandom } from '@quartermaster/kernel';
import { KubeClient, kinds } from '@quartermaster/kube';
import type { Pod } from '@quartermaster/kube/shapes';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { CuttableCluster } from './cuttable-cluster.ts';
import { contentsOf, freshContents, startInventory } from './fresh-inventory.ts';
import { addAgent, addNode, hardwareOf, patience, podOn, report, setPhase, tenant } from './operator-cluster.ts';

/** Pods that live at the same time, at most. */
const podsAlive = 200;
/** In one request. */
const maxPodsAtOnce = 250;
const nodes = Array.from({ length: 10 }, (_, index) => `gpu-${index}`);

export interface CutWatchesOptions {
  readonly start: () => Promise<CuttableCluster>;
  readonly cuts: number;
  /** What the writer keeps up over the whole run, whatever becomes of the watches. */
  readonly eventsPerSecond: number;
  /** How far the time of the inventory goes on between two looks: less where each answer takes its time. */
  readonly stepMs: number;
}

/** What the inventory makes of watches that end again and again. */
export function describeCutWatches({ start, cuts, eventsPerSecond, stepMs }: CutWatchesOptions): void {
  describe(`watches that are cut ${cuts} times while pods come and go`, () => {
    const clock = new FakeClock();
    const random = seededRandom(11);
    let cluster: CuttableCluster;
    let admin: KubeClient;
    let client: KubeClient;
    let inventory: Inventory;

    beforeAll(async () => {
      cluster = await start();
      admin = cluster.client;
      client = await KubeClient.connect({ kubeconfig: cluster.cuttable });
      for (const name of nodes) {
        await addNode(admin, name);
        await report(admin, name, hardwareOf(name));
        await addAgent(admin, name);
      }
      inventory = await startInventory(client, { clock });
      await until(() => inventory.feed.state() !== undefined);
    });

    afterAll(async () => {
      await inventory?.stop();
      await client?.close();
      await cluster?.stop();
    });

    /** Lets the time of the inventory pass until it is so. */
    async function until(isSo: () => boolean): Promise<void> {
      await vi.waitFor(
        async () => {
          await clock.advance(stepMs);
          expect(isSo()).toBe(true);
        },
        { ...patience, interval: cluster.isInProcess ? 1 : 5 },
      );
    }

    /** Some pods start, as many that started earlier are deleted, and now and then one ends by itself. Tells how many events that makes. */
    async function churn(batch: number, starting: number, ending: readonly Batch[]): Promise<number> {
      const started = Array.from({ length: starting }, (_, index): Pod => {
        const node = nodes[Math.floor(random.next() * nodes.length)] ?? '';
        const requests = { cpu: `${Math.ceil(random.next() * 900)}m`, gpus: index === 0 && batch % 4 === 0 ? 1 : 0 };
        const pod = podOn(`pod-${batch}-${index}`, node, requests);
        return { ...pod, metadata: { ...pod.metadata, labels: { batch: `b${batch}` } } };
      });
      await cluster.startPods(started);
      for (const { label } of ending) {
        await admin.deleteCollection(kinds.pods, { namespace: tenant, labelSelector: `batch=${label}` }, { gracePeriodSeconds: 0 });
      }
      const ends = batch % 10 === 9;
      if (ends) await setPhase(admin, `pod-${batch}-0`, 'Succeeded');
      return starting + ending.reduce((sum, { pods }) => sum + pods, 0) + (ends ? 1 : 0);
    }

    /** Writes at the rate, in real time, until it is told to end. Tells how many events there were. */
    async function write(ending: AbortSignal): Promise<number> {
      const alive: Batch[] = [];
      let begunAt = performance.now();
      let events = 0;
      const due = (): number => Math.floor((((performance.now() - begunAt) / 1000) * eventsPerSecond - events) / 2);
      const isDue = (): boolean => due() > 0;
      for (let batch = 0; !ending.aborted; batch += 1) {
        await vi.waitUntil(isDue, { ...patience, interval: 2 });
        const owed = due();
        const starting = Math.min(owed, maxPodsAtOnce);
        // A machine that cannot keep up is not asked to catch up: it writes more slowly, and the rate that is told says so.
        begunAt += ((owed - starting) * 2 * 1000) / eventsPerSecond;
        let over = alive.reduce((sum, { pods }) => sum + pods, starting) - podsAlive;
        const gone: Batch[] = [];
        while (over > 0 && alive.length > 0) {
          const oldest = alive.shift() as Batch;
          gone.push(oldest);
          over -= oldest.pods;
        }
        alive.push({ label: `b${batch}`, pods: starting });
        events += await churn(batch, starting, gone);
      }
      return events;
    }

    /** Each cut hits a watch that has delivered an event. */
    async function cutWatches(): Promise<void> {
      const { pods } = inventory.sources;
      const wasCut = (): boolean => cluster.cut('pods');
      for (let cut = 0; cut < cuts; cut += 1) {
        const { watches } = pods.status().counters;
        if (cut % 10 === 0) cluster.cut('nodes');
        await until(wasCut);
        await until(() => pods.status().counters.watches > watches);
        const { events } = pods.status().counters;
        await until(() => pods.status().counters.events > events);
      }
    }

    it('end in exactly the inventory that a first reading gives', { timeout: 1_800_000 }, async () => {
      const { pods } = inventory.sources;
      const first = pods.status().counters;
      const begunAt = clock.monotonic();
      const ending = new AbortController();
      const startedAt = performance.now();
      const [written] = await Promise.all([write(ending.signal), cutWatches().finally(() => ending.abort())]);
      const seconds = (performance.now() - startedAt) / 1000;
      console.info(`${cuts} cuts, ${written} pod events in ${seconds.toFixed(1)} s: ${(written / seconds).toFixed(0)} events/s`);
      await until(() => pods.status().counters.events - first.events >= written);
      const last = pods.status().counters;
      expect(last.watches - first.watches).toBeGreaterThanOrEqual(cuts);
      // Each watch went on where the one before was cut.
      expect(last.lists).toBe(first.lists);
      // Each delivered event makes the next wait a short one again: waits that grew would take 30 s each.
      if (cluster.isInProcess) expect(clock.monotonic() - begunAt).toBeLessThan(cuts * 2_000);

      const expected = await freshContents(admin);
      await until(() => JSON.stringify(contentsOf(inventory), plain) === JSON.stringify(expected, plain));
      expect(contentsOf(inventory)).toEqual(expected);
      expect(inventory.ledger.drifts).toBe(0);
      // Every event came, and none of them twice. The real server tells of a pod that is deleted by an update as well, once or not at all.
      if (cluster.isInProcess) expect(last.events - first.events).toBe(written);
      expect(written).toBeGreaterThanOrEqual(cuts);
    });
  });
}

/** Pods that were started together. */
interface Batch {
  readonly label: string;
  readonly pods: number;
}

function plain(_key: string, value: unknown): unknown {
  if (value instanceof Map) return [...value];
  return typeof value === 'bigint' ? String(value) : value;
}
