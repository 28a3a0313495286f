import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { nodesTopic, summariseCluster, summaryTopic } from '@quartermaster/api/inventory-views';
import { ensureConsoleBuilt } from '@quartermaster/console';
import { consoleRole, sharedConsole } from '@quartermaster/console/roles';
import { inventoryViews, namedView, ViewFeed, viewsByAddress, viewsService } from '@quartermaster/inventory/testing';
import { StatusError, silentLog, systemClock } from '@quartermaster/kernel';
import { startRoleServers } from '@quartermaster/runtime/host';
import { startRole } from '@quartermaster/runtime/testing';
import { Health, healthy, Metrics, SharedParts } from '@quartermaster/service';
import type { Page } from 'playwright-core';
import type { ScriptedSource } from './scripted-source.ts';

/** Whom the scripted inventory takes for an administrator. */
export const scriptedToken = 'of-the-administrator';

export interface ScriptedConsoleOptions {
  /** Any free one unless given. */
  readonly port?: number | undefined;
  /** Of a cluster whose pods are shown. */
  readonly kubeconfig?: string | undefined;
  /** REST address of a cluster service. */
  readonly clusterUrl?: string | undefined;
  /** More settings. */
  readonly args?: readonly string[] | undefined;
}

/** The console's role, in front of the inventory's own server with a script behind it. */
export interface ScriptedConsole {
  readonly url: string;
  readonly port: number;
  stop(): Promise<void>;
}

/** Keys of sessions: a console that is started again knows those of before. */
const keys = `test:${randomBytes(32).toString('base64')}\n`;

export async function startScriptedConsole(source: ScriptedSource, options: ScriptedConsoleOptions = {}): Promise<ScriptedConsole> {
  await ensureConsoleBuilt({ log: silentLog });
  const folder = await mkdtemp(join(tmpdir(), 'scripted-console-'));
  await writeFile(join(folder, 'keys'), keys, { mode: 0o600 });
  const inventory = await serveSource(source);
  let url = '';
  const shared = new SharedParts();
  shared.provide(sharedConsole, {
    installation: () => source.current(),
    faults: async () => source.current().faults,
    served: (served) => {
      url = served;
    },
  });
  const { port = 0, kubeconfig, clusterUrl, args = [] } = options;
  const settings = [
    `--console-port=${port}`,
    `--console-inventory-url=${inventory.url}`,
    `--console-key-ring-file=${join(folder, 'keys')}`,
    `--console-kubernetes=${kubeconfig !== undefined}`,
    ...(clusterUrl === undefined ? [] : [`--console-cluster-url=${clusterUrl}`]),
  ];
  const role = await startRole(consoleRole, { shared, kubeconfig, args: [...settings, ...args] });
  return {
    url,
    port: Number(new URL(url).port),
    stop: async () => {
      await role.stop();
      await inventory.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Signs the browser of a page in, without a page. */
export async function signIn(page: Page, url: string, token: string = scriptedToken): Promise<void> {
  const headers = { origin: url, 'x-quartermaster-console': '1' };
  const answer = await page.context().request.post(`${url}/api/session`, { headers, data: { token } });
  if (!answer.ok()) throw new Error(`signing in: ${answer.status()} ${await answer.text()}`);
  const { key } = (await answer.json()) as { readonly key: string };
  // As a page would have kept it; whoever signs in there afterwards has another.
  await page.context().addInitScript(`{
    const name = 'quartermaster-session-key';
    if (location.origin === ${JSON.stringify(url)}) localStorage.setItem(name, localStorage.getItem(name) ?? ${JSON.stringify(key)});
  }`);
}

/** Views of a script, as the inventory serves its own. */
async function serveSource(source: ScriptedSource): Promise<{ readonly url: string; stop(): Promise<void> }> {
  const { inventory } = source;
  const isRead = (): boolean => source.current().cluster !== undefined;
  const open = viewsByAddress([
    ...inventoryViews(() => (isRead() ? inventory : undefined)),
    namedView(nodesTopic, ({ name }) => {
      const nodes = source.current().cluster?.nodes;
      return nodes && { head: { total: nodes.length }, rows: name === undefined ? nodes : nodes.filter((node) => node.name === name) };
    }),
    namedView(summaryTopic, () => {
      const { cluster } = source.current();
      if (cluster === undefined) return undefined;
      const { needCount, storageNeedCount, lines, stale } = inventory.capacity();
      const needs = { all: needCount, storage: storageNeedCount };
      return { head: { ...summariseCluster(cluster.nodes, lines), observedAt: cluster.observedAt, stale, needs }, rows: [] };
    }),
  ]);
  const viewFeed = new ViewFeed({ open, subscribe: (changed) => source.subscribe(changed), clock: systemClock, log: silentLog });
  const views = { search: (query: string, limit: number) => inventory.search(query, limit), history: () => [] };
  const health = new Health();
  health.register('inventory', 'ready', () => healthy);
  const ends: (() => unknown)[] = [() => viewFeed.close()];
  const host = {
    prefix: 'inventory',
    health,
    metrics: new Metrics({ process: false }),
    keep: (_name: string, stop: () => unknown) => void ends.push(stop),
    clock: systemClock,
    log: silentLog,
  };
  const files = { certFile: undefined, keyFile: undefined, clientCaFile: undefined };
  const config = { host: '127.0.0.1', grpcPort: 0, restPort: 0, certificatePort: undefined, ...files };
  const { rest } = await startRoleServers(host, config, health, {
    services: [viewsService({ views, viewFeed })],
    routes: [{ path: '/v1/session', answer: (_request, context) => ({ json: callerOf(context?.header('authorization')) }) }],
    // The console has asked by then whose a token is.
    callers: () => ({ kind: 'token', name: 'somebody', groups: [] }),
    isServing: () => true,
  });
  return { url: rest, stop: async () => void (await Promise.all(ends.map((end) => end()))) };
}

function callerOf(authorization: string | undefined): { name: string; role: string } {
  if (authorization === `Bearer ${scriptedToken}`) return { name: 'admin', role: 'admin' };
  throw new StatusError('unauthenticated', 'the token is nobody’s');
}
