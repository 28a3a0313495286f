import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Inventory } from '@quartermaster/inventory';
import { FakeClock, seededRandom } from '@quartermaster/kernel';
import { KubeClient, kinds } from '@quartermaster/kube';
import { type SimulatedServer, startSimulatedServer } from '@quartermaster/simulator';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { contentsOf, freshContents, startInventory } from './fresh-inventory.ts';
import { addNode, hardwareOf, patience, podOn, prepare, report, setPhase, tenant } from './operator-cluster.ts';

const cuts = 1000;
/** Made and deleted between two cuts: at 50 cuts a second, 500 events a second. */
const podsPerBatch = 5;
const batchesAlive = 20;
const nodes = Array.from({ length: 10 }, (_, index) => `gpu-${index}`);

describe('watches that are cut a thousand times while pods come and go', () => {
  const clock = new FakeClock();
  const random = seededRandom(11);
  let server: SimulatedServer;
  let directory: string;
  let admin: KubeClient;
  let client: KubeClient;
  let inventory: Inventory;

  beforeAll(async () => {
    server = await startSimulatedServer();
    directory = await mkdtemp(join(tmpdir(), 'operator-cut-'));
    const kubeconfig = join(directory, 'kubeconfig');
    await writeFile(kubeconfig, server.kubeconfig, { mode: 0o600 });
    admin = await KubeClient.connect({ kubeconfig });
    client = await KubeClient.connect({ kubeconfig });
    await prepare(admin);
    for (const name of nodes) {
      await addNode(admin, name);
      await report(admin, name, hardwareOf(name));
    }
    inventory = await startInventory(client, { clock });
    await until(() => inventory.feed.state() !== undefined);
  });

  afterAll(async () => {
    await inventory?.stop();
    await client?.close();
    await admin?.close();
    await server?.stop();
    await rm(directory, { recursive: true, force: true });
  });

  /** Lets the time of the inventory pass until it is so. */
  async function until(isSo: () => boolean): Promise<void> {
    await vi.waitFor(
      async () => {
        await clock.advance(200);
        expect(isSo()).toBe(true);
      },
      { ...patience, interval: 1 },
    );
  }

  /** Some pods start, those of an earlier batch are deleted, and now and then one ends by itself. */
  async function churn(batch: number): Promise<void> {
    const model = { apiVersion: 'v1', kind: 'Pod', ...podOn('model', '') };
    const variations = Array.from({ length: podsPerBatch }, (_, index) => {
      const node = nodes[Math.floor(random.next() * nodes.length)] ?? '';
      const requests = { cpu: `${Math.ceil(random.next() * 900)}m`, gpus: index === 0 && batch % 4 === 0 ? 1 : 0 };
      const { spec } = podOn('', node, requests);
      return { metadata: { namespace: tenant, name: `pod-${batch}-${index}`, labels: { batch: `b${batch}` } }, spec };
    });
    const body = JSON.stringify({ model, variations });
    const path = '/simulator/objects';
    const selection = { namespace: tenant, labelSelector: `batch=b${batch - batchesAlive}` };
    await Promise.all([
      admin.transport.json({ what: 'start pods', method: 'POST', path, contentType: 'application/json', body }),
      admin.deleteCollection(kinds.pods, selection, { gracePeriodSeconds: 0 }),
      batch % 10 === 9 ? setPhase(admin, `pod-${batch - 1}-0`, 'Succeeded') : undefined,
    ]);
  }

  it('end in exactly the inventory that a first reading gives', { timeout: 300_000 }, async () => {
    const { pods } = inventory.sources;
    const first = pods.status().counters;
    const begunAt = clock.monotonic();
    for (let cut = 0; cut < cuts; cut += 1) {
      const before = pods.status().counters;
      server.cutWatches(cut % 10 === 0 ? undefined : 'pods');
      const resumed = (): boolean => {
        const { watches, events } = pods.status().counters;
        return watches > before.watches && events > before.events;
      };
      await Promise.all([churn(cut), until(resumed)]);
    }
    const last = pods.status().counters;
    expect(last.watches - first.watches).toBeGreaterThanOrEqual(cuts);
    // Each watch went on where the one before was cut.
    expect(last.lists).toBe(first.lists);
    // Each delivered event makes the next wait a short one again: waits that grew would take 30 s each.
    expect(clock.monotonic() - begunAt).toBeLessThan(cuts * 2_000);

    const expected = await freshContents(admin);
    await until(() => JSON.stringify(contentsOf(inventory), plain) === JSON.stringify(expected, plain));
    expect(contentsOf(inventory)).toEqual(expected);
    expect(inventory.ledger.drifts).toBe(0);
    expect(last.events - first.events).toBeGreaterThanOrEqual((2 * cuts - batchesAlive) * podsPerBatch);
  });
});

function plain(_key: string, value: unknown): unknown {
  if (value instanceof Map) return [...value];
  return typeof value === 'bigint' ? String(value) : value;
}
