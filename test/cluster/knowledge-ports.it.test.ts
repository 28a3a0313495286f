import { connectServer, openKnowledge, soldOnce } from '@quartermaster/cluster/testing';
import { FakeClock, seededRandom, silentLog } from '@quartermaster/kernel';
import { cacheOpener, kinds } from '@quartermaster/kube';
import { expect, it, onTestFinished, vi } from 'vitest';
import { patience, startSimulatedCluster } from '../inventory/operator-cluster.ts';
import { RecordedBook } from './recorded-book.ts';
import { ScriptedInventory, scriptedNode } from './scripted-inventory.ts';

const settings = { 'inventory-resource-poll-period': 5_000, 'inventory-resource-debug-frequency': 0, 'inventory-max-age': 30_000 };

it('Services that nobody hears of hold up requests for ports alone', async () => {
  const [cluster, services, server] = [await startSimulatedCluster(), await startSimulatedCluster(), new ScriptedInventory()];
  const [clock, book, end] = [new FakeClock(), new RecordedBook(), new AbortController()];
  await server.start('deltas');
  const knowledge = openKnowledge({
    connect: () => connectServer({ setting: 'cluster-inventory', address: () => server.address }),
    caches: {
      open: (options) => cacheOpener(options.type === kinds.services ? services.client : cluster.client, { clock }).open(options),
    },
    book,
    settings,
    storageLevel: soldOnce.storage,
    clock,
    random: seededRandom(1),
    log: silentLog,
  });
  const running = knowledge.run(end.signal);
  onTestFinished(async () => {
    end.abort();
    await running;
    await server.stop();
    await cluster.stop();
  });
  await vi.waitUntil(() => book.ports !== undefined && server.asked.length === 1, patience);
  const generation = { epoch: 'e', sequence: 1n };
  server.snapshot = { generation, nodes: [scriptedNode('a')] };
  server.send({ case: 'snapshot', value: server.snapshot });
  await vi.waitUntil(() => book.problem === undefined, patience);
  expect(book.ports?.problem).toBeUndefined();

  await services.stop();
  await vi.waitUntil(() => knowledge.status().silent.includes('services'), patience);
  await expect
    .poll(async () => {
      server.send({ case: 'heartbeat', value: { generation } });
      await clock.advance(1_000);
      return book.ports?.problem?.code;
    }, patience)
    .toBe('PortCapacityUnknown');
  expect(book.problem).toBeUndefined();
});
