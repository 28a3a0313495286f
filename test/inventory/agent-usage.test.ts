import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Inventory } from '@quartermaster/inventory';
import { discoveryName, discoveryPort } from '@quartermaster/inventory/discovery';
import { FakeClock, seededRandom, silentLog } from '@quartermaster/kernel';
import { cacheOpener, KubeClient, kinds } from '@quartermaster/kube';
import { buildHardware, ImageRegistry, NodePool, type SimulatedServer, startSimulatedServer } from '@quartermaster/simulator';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { hardwareOf, operatorNamespace, prepare, report } from './operator-cluster.ts';

const names = ['talks', 'lies', 'mute', 'bare'];
const uuidOf = (node: string, index: number): string => `GPU-${node}-${index}`;
const usage = (...percents: readonly (readonly [string, number])[]): string =>
  JSON.stringify({ gpus: percents.map(([uuid, utilizationPercent]) => ({ uuid, utilizationPercent })) });

describe('what agents tell of the use of GPUs', { timeout: 60_000 }, () => {
  const clock = new FakeClock(Date.now());
  /** node -> what its agent answers; one without an entry serves nothing. */
  const answers = new Map<string, string>();
  const asked = new Map<string, number>(); // node -> how often
  let directory: string;
  let server: SimulatedServer;
  let client: KubeClient;
  let pool: NodePool;
  let inventory: Inventory;

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'agent-usage-'));
    server = await startSimulatedServer();
    const kubeconfig = join(directory, 'kubeconfig');
    await writeFile(kubeconfig, server.kubeconfig, { mode: 0o600 });
    client = await KubeClient.connect({ kubeconfig });
    await prepare(client);
    const images = new ImageRegistry();
    images.register('agent', () => ({
      run: async ({ node, serve }, signal) => {
        serve(discoveryPort, (_request, response) => {
          asked.set(node.name, (asked.get(node.name) ?? 0) + 1);
          const answer = answers.get(node.name);
          response.writeHead(answer === undefined ? 500 : 200, { 'content-type': 'application/json' }).end(answer);
        });
        await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
      },
    }));
    const identity = await server.issueCertificate({ commonName: 'simulated-kubelet', hosts: ['127.0.0.1'] });
    pool = await NodePool.start({
      client,
      images,
      nodes: names.map((name, index) => ({
        name,
        index: index + 1,
        hardware: buildHardware({ cpu: 'xeon-6130', sockets: 1, memoryGiB: 64 }, name, 1),
      })),
      server: { ...identity, clientAuthority: server.certificateAuthority },
      podStartMs: 0,
    });
    for (const node of names) {
      await report(client, node, hardwareOf(node, '2330', node === 'bare' ? { gpus: [] } : {}));
      await client.create(kinds.pods, {
        metadata: { namespace: operatorNamespace, name: `agent-${node}`, labels: { 'app.kubernetes.io/name': discoveryName } },
        spec: { nodeName: node, containers: [{ name: 'discovery', image: 'agent' }] },
      });
    }
    const context = { clock, random: seededRandom(1), log: silentLog };
    inventory = await Inventory.start({ client, caches: cacheOpener(client, context), namespace: operatorNamespace, ...context });
  }, 60_000);

  afterAll(async () => {
    await inventory?.stop();
    await pool?.stop();
    await client?.close();
    await server?.stop();
    await rm(directory, { recursive: true, force: true });
  });

  const percents = (node: string) =>
    inventory.ledger
      .nodeView(node)
      ?.devices.slice(0, 2)
      .map(({ utilization }) => utilization);

  /** Lets time pass, until it is so. */
  async function eventually(check: () => void): Promise<void> {
    await vi.waitFor(
      async () => {
        await clock.advance(10_000);
        check();
      },
      { timeout: 30_000, interval: 20 },
    );
  }

  it('is shown by card, and no figure where an agent tells none or nonsense', async () => {
    answers.set('talks', usage([uuidOf('talks', 0), 42], [uuidOf('talks', 1), 0]));
    answers.set('lies', usage([uuidOf('lies', 0), 4200]));
    await eventually(() => expect(percents('talks')).toEqual([42, 0]));
    await eventually(() => expect([...asked.keys()].toSorted()).toEqual(['lies', 'mute', 'talks']));
    expect([percents('lies'), percents('mute')]).toEqual([
      [undefined, undefined],
      [undefined, undefined],
    ]);
    expect(asked.get('bare')).toBeUndefined();
  });

  it('is asked for again and again, and gone when the agent no longer tells it', async () => {
    answers.set('talks', usage([uuidOf('talks', 0), 7]));
    await eventually(() => expect(percents('talks')).toEqual([7, undefined]));
    answers.delete('talks');
    await eventually(() => expect(percents('talks')).toEqual([undefined, undefined]));
    answers.set('talks', usage([uuidOf('talks', 0), 9]));
    await eventually(() => expect(percents('talks')).toEqual([9, undefined]));
    await client.delete(kinds.pods, { namespace: operatorNamespace, name: 'agent-talks' }, { gracePeriodSeconds: 0 });
    await eventually(() => expect(percents('talks')).toEqual([undefined, undefined]));
  });
});
