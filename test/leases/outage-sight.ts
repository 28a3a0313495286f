import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LeaseState } from '@quartermaster/api/market';
import { tenantLeaseType } from '@quartermaster/api/tenant-lease';
import { limit } from '@quartermaster/kernel';
import { kinds } from '@quartermaster/kube';
import { vi } from 'vitest';
import { LoopbackProxy } from '../support/loopback-proxy.ts';
import { times } from '../support/soak.ts';
import { leaseSdl } from './lease-sdl.ts';
import type { LeasedCluster } from './leased-cluster.ts';
import { type Deployed, namespaceLabel, type RunningLeases } from './running-leases.ts';

/** All time in the processes passes so many times as fast. */
export const pace = 20;
/** Three minutes of the provider's. */
export const outageMs = 180_000 / pace;
/** Everything runs on one small machine, beside other tests. */
export const patience = { timeout: 60_000, interval: 50 };
export const web = leaseSdl({ web: {} });

/** Of many leases. */
const owners = 5;
/** A real control plane takes seconds for each lease of a hundred. */
const manyMs = times(180_000, 400_000);
/** Of a test with several of these waits, each of which says what did not come about. */
export const limitMs = 600_000;

/** So many leases of several owners, about at once. Resolves when they run. */
export async function runMany(site: RunningLeases, count: number, prefix = 'tenant', sdl = web): Promise<readonly Deployed[]> {
  const inTurn = limit(owners);
  const all = await Promise.all(Array.from({ length: count }, (_, index) => inTurn(() => site.deploy(`${prefix}-${index % owners}`, sdl))));
  await untilAllRun(site, all, manyMs);
  return all;
}

export async function untilAllRun(site: RunningLeases, all: readonly Deployed[], timeout = patience.timeout): Promise<void> {
  await vi.waitFor(
    async () => {
      const running = new Set(
        (await site.cluster.client.list(tenantLeaseType)).items
          .filter(({ status }) => status?.state === 'Active' && status.reason === 'Running')
          .map(({ metadata }) => metadata?.name),
      );
      const others = all.filter(({ name }) => !running.has(name)).map(({ name }) => name);
      if (others.length > 0) throw new Error(`${others.length} do not run: ${others.slice(0, 3).join(', ')}`);
    },
    { ...patience, timeout },
  );
}

/** What must be the same before and after: namespaces and pods of leases by their uids, and which leases the market has. */
export async function standing(site: RunningLeases, of?: readonly Deployed[]): Promise<readonly string[]> {
  const { client } = site.cluster;
  const mine = of && new Set(of.map(({ namespace }) => namespace));
  const isMine = (namespace: string | undefined): boolean => mine === undefined || mine.has(namespace ?? '');
  const namespaces = (await client.list(kinds.namespaces, { labelSelector: namespaceLabel })).items;
  const pods = (await client.list(kinds.pods, { labelSelector: namespaceLabel })).items;
  const leases = await marketLeases(site);
  return [
    ...namespaces.filter(({ metadata }) => isMine(metadata?.name)).map(({ metadata }) => `Namespace ${metadata?.name} ${metadata?.uid}`),
    ...pods.filter(({ metadata }) => isMine(metadata?.namespace)).map(({ metadata }) => `Pod ${metadata?.namespace} ${metadata?.uid}`),
    ...leases.filter(({ namespace }) => isMine(namespace)).map(({ namespace, state }) => `${namespace} ${wordOf(LeaseState, state)}`),
  ].toSorted();
}

/** The name of a value of an enum. */
export const wordOf = (words: Readonly<Record<string, number>>, value: number): string =>
  Object.entries(words).find(([, number]) => number === value)?.[0] ?? String(value);

/** As the database of the market has them. */
export async function marketLeases(site: RunningLeases): Promise<readonly { readonly namespace: string; readonly state: number }[]> {
  const text = `select 'lease-' || owner || '-' || order_id as namespace, state from leases`;
  const rows = await site.market.market.database.query<{ namespace: string; state: bigint }>({ name: 'test-leases', text });
  return rows.map(({ namespace, state }) => ({ namespace, state: Number(state) }));
}

export interface StoppableCluster extends LeasedCluster {
  halt(): Promise<void>;
  resume(): Promise<void>;
}

/** One whose API server is killed and started again: for everybody, nodes and controllers too. */
export function killable(cluster: LeasedCluster): StoppableCluster {
  const { apiServer } = cluster;
  if (apiServer === undefined) throw new Error('the API server is no process of its own');
  return { ...cluster, ...apiServer };
}

/** The same cluster for the provider, whose connections can be cut: connections are refused then, as by a server that is stopped. Those of the test and of nodes go on. */
export async function stoppable(cluster: LeasedCluster): Promise<StoppableCluster> {
  const directory = await mkdtemp(join(tmpdir(), 'stoppable-'));
  const config = await readFile(cluster.kubeconfig, 'utf8');
  const url = /server: "?([^"\s]+)/.exec(config)?.[1] ?? '';
  const proxy = await LoopbackProxy.start(url);
  const through = async (name: string, kubeconfig: string): Promise<string> => {
    const text = await readFile(kubeconfig, 'utf8');
    await writeFile(join(directory, name), text.replaceAll(url, proxy.url), { mode: 0o600 });
    return join(directory, name);
  };
  return {
    ...cluster,
    kubeconfig: await through('operator', cluster.kubeconfig),
    serviceKubeconfig: await through('service', cluster.serviceKubeconfig),
    halt: async () => {
      proxy.mode = 'refuse';
      proxy.cut();
    },
    resume: async () => {
      proxy.mode = 'forward';
    },
    stop: async () => {
      await proxy.stop();
      await cluster.stop();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

/** Stands between the cluster service and the market. */
export class MarketLine {
  #proxy: LoopbackProxy | undefined;

  readonly through = async (address: string): Promise<string> => {
    this.#proxy = await LoopbackProxy.start(`http://${address.replace(/^\w+:\/\//, '')}`);
    return this.#proxy.url.replace('https://', '');
  };

  cut(): void {
    if (this.#proxy === undefined) throw new Error('nobody is connected');
    this.#proxy.mode = 'refuse';
    this.#proxy.cut();
  }

  mend(): void {
    if (this.#proxy !== undefined) this.#proxy.mode = 'forward';
  }

  async stop(): Promise<void> {
    await this.#proxy?.stop();
  }
}

/** Passes that much of the time of this machine. */
export async function pass(ms: number): Promise<void> {
  const from = performance.now();
  await vi.waitUntil(() => performance.now() - from >= ms, { timeout: ms + 60_000, interval: 50 });
}
