import { createMemoryBus } from '@quartermaster/bus';
import { type Clock, StatusError } from '@quartermaster/kernel';
import type { KubeClient } from '@quartermaster/kube';
import { type Lifecycle, type Logger, outgoingTraceHeaders, SharedParts, withIncomingTrace } from '@quartermaster/service';
import { LiveSource } from '../console/live-source.ts';
import { installDiscovery } from '../install/install-discovery.ts';
import { rolesOfUp } from '../roles/roles.ts';
import type { RunningInventory } from '../roles/running-inventory.ts';
import { sharedBus, sharedInventory, sharedKubeClient } from '../roles/shared-keys.ts';
import { Slot } from '../roles/slot.ts';
import { inStep, type Progress } from '../text/progress.ts';
import { version } from '../version.ts';
import { checkPort } from './check-port.ts';
import { chooseWorld } from './choose-world.ts';
import { connectCluster } from './connect-cluster.ts';
import type { DataDirectory } from './data-directory.ts';
import { openDirectory } from './open-directory.ts';
import { playDatacenter, type TenantAccess } from './play-datacenter.ts';
import { removeRunFile, writeRunFile } from './run-file.ts';
import { startCluster } from './start-cluster.ts';
import { startFulfillment, type UpFulfillment } from './start-fulfillment.ts';
import { startRoles } from './start-roles.ts';
import { summary } from './summary.ts';
import type { UpOptions } from './up-options.ts';

export interface UpContext {
  readonly options: UpOptions;
  readonly progress: Progress;
  readonly log: Logger;
  readonly clock: Clock;
  readonly lifecycle: Lifecycle;
}

/** What one `up` works with, from the moment it is known. */
interface Site {
  readonly directory: DataDirectory;
  readonly kubernetes: 'simulated' | 'real' | 'given';
  readonly kubeconfig: string;
  readonly scenario: string | undefined;
  readonly source: LiveSource;
  readonly inventory: Slot<RunningInventory>;
}

const host = '127.0.0.1';

/** A cluster that we started is there, and may be busy filling itself; a given one may be anywhere, or nowhere. */
const answerWithinMs = { simulated: 60_000, real: 60_000, given: 10_000 } as const;

/** Starts every part in order and resolves when all of them are ready. What was started is in the lifecycle, also after a failure. */
export async function startUp(context: UpContext): Promise<void> {
  const site = await prepare(context);
  // It needs no cluster. Its failure, and that of the page, are told where they are waited for: another part may fail before, and then that is what is told.
  const fulfillment = startFulfillment({ ...context, directory: site.directory, parts: site.source.parts });
  fulfillment.catch(() => {});
  const embedded = startEmbedded(context, site);
  // A page needs no cluster, and a cluster no page: the console is loaded, and built where needed, while the cluster's process starts.
  const page = buildPage(context);
  page.catch(() => {});
  await embedded;
  const client = await follow(context, site);
  await installDiscovery({ ...context, client, kubernetes: site.kubernetes });
  await startOnCluster(context, site, client);
  const service = await fulfillment;
  const tenants = site.scenario === undefined ? [] : await playDatacenter(context, site.scenario, service);
  await serveConsole(context, site, { service, tenants }, page);
}

async function prepare({ options, log, clock, lifecycle }: UpContext): Promise<Site> {
  const directory = await openDirectory(options);
  lifecycle.add({ name: 'data directory', stop: () => directory.close() });
  await checkPort(options.port);
  const kubernetes = options.kubeconfig === undefined ? options.kubernetes : 'given';
  const kubeconfig = options.kubeconfig ?? directory.kubeconfig;
  const scenario = kubernetes === 'given' ? undefined : await chooseWorld(options, directory);
  const inventory = new Slot<RunningInventory>();
  const source = new LiveSource({
    inventory,
    installation: {
      version,
      startedAt: clock.now(),
      ...(scenario === undefined ? {} : { scenario }),
      dataDirectory: directory.path,
      kubernetes,
      kubeconfig,
    },
    clock,
    log,
  });
  lifecycle.add({ name: 'view of the inventory', stop: async () => source.inventory.stop() });
  return { directory, kubernetes, kubeconfig, scenario, source, inventory };
}

async function startEmbedded({ options, progress, clock, lifecycle }: UpContext, site: Site): Promise<void> {
  const { kubernetes, scenario, directory, kubeconfig, source } = site;
  if (kubernetes === 'given' || scenario === undefined) return;
  await startCluster({
    kubernetes,
    settings: {
      scenario,
      kubeconfig,
      directory: directory.simulator,
      controlFile: directory.control,
      logLevel: options.logLevel,
    },
    clock,
    progress,
    onPart: (part) => {
      lifecycle.add({ name: part.name, stop: ({ withinMs }) => part.stop(withinMs) });
      source.parts.set(part.name, 'embedded', { state: 'starting', facts: { pid: String(part.pid) } });
    },
    onReady: (name) => source.parts.set(name, 'embedded', { state: 'ready' }),
    onLost: (name, why) => {
      source.parts.set(name, 'embedded', { state: 'failed', reason: `its process ended: ${why}` });
      const message = `the process of the ${name} ended by itself (${why}), what it kept is still in ${directory.path}: start again`;
      void lifecycle.stop({ kind: 'failure', error: new StatusError('unavailable', message) });
    },
  });
}

function follow({ progress, lifecycle }: UpContext, { kubernetes, kubeconfig, source }: Site): Promise<KubeClient> {
  return inStep(progress, 'Kubernetes API', async (step) => {
    const {
      client,
      server,
      version: served,
    } = await connectCluster({ kubeconfig, answerWithinMs: answerWithinMs[kubernetes] }, lifecycle.signal);
    lifecycle.add({ name: 'connections to the cluster', stop: () => client.close() });
    source.follow(client, server);
    lifecycle.add({ name: 'view of the cluster', stop: () => source.stop() });
    step.update('reading nodes and pods');
    await source.whenRead({ signal: lifecycle.signal, onProgress: (text) => step.update(`read ${text}`) });
    return { result: client, detail: `${server}, ${served}` };
  });
}

async function startOnCluster(context: UpContext, { inventory, source }: Site, client: KubeClient): Promise<void> {
  const shared = new SharedParts();
  const bus = createMemoryBus({ clock: context.clock, context: { outgoing: outgoingTraceHeaders, run: withIncomingTrace } });
  context.lifecycle.add({ name: 'bus', stop: () => bus.close() });
  shared.provide(sharedKubeClient, client);
  shared.provide(sharedBus, bus);
  shared.provide(sharedInventory, inventory);
  // Whoever asks finds the addresses in the run file, so that two installations never want the same port.
  const args = ['--inventory-grpc-port', '0', '--inventory-rest-port', '0'];
  await startRoles({ ...context, step: 'roles', roles: rolesOfUp.onCluster, args, shared, parts: source.parts });
}

async function buildPage({ log }: UpContext): Promise<string> {
  const { ensureConsoleBuilt } = await import('@quartermaster/console');
  return await ensureConsoleBuilt({ log });
}

async function serveConsole(
  context: UpContext,
  site: Site,
  { service, tenants }: { readonly service: UpFulfillment; readonly tenants: readonly TenantAccess[] },
  page: Promise<string>,
): Promise<void> {
  const { options, progress, log, clock, lifecycle } = context;
  const { directory, kubernetes, kubeconfig, scenario, source, inventory } = site;
  source.parts.set('console', 'embedded', { state: 'starting' });
  const url = await inStep(progress, 'console', async (step) => {
    step.update('building its page');
    const assets = await page;
    const { startConsole } = await import('@quartermaster/console');
    const fulfillment = { restUrl: () => service.running.rest, token: () => service.access.consoleToken() };
    const served = await startConsole({ source, host, port: options.port, log, assets, clock, fulfillment });
    lifecycle.add({ name: 'console', stop: () => served.stop() });
    return { result: served.url, detail: served.url };
  });
  source.parts.set('console', 'embedded', { state: 'ready', facts: { address: url } });
  const world = scenario === undefined ? {} : { scenario };
  const served = inventory.current === undefined ? {} : { inventory: { grpc: inventory.current.grpc, rest: inventory.current.rest } };
  const tokenFile = await service.access.issueFile({ name: 'admin', role: 'admin' });
  const { grpc, rest } = service.running;
  const fulfillment = { grpc, rest, tokenFile, tenants: [...tenants] };
  const facts = { pid: process.pid, version, console: url, kubeconfig, kubernetes, ...world, ...served, fulfillment };
  lifecycle.add({ name: 'run file', stop: () => removeRunFile(directory.path) });
  writeRunFile(directory.path, facts);
  progress.ready(summary({ consoleUrl: url, kubeconfig, kubernetes, directory: directory.path, fulfillment: rest, tokenFile, tenants }), {
    ...facts,
    dataDirectory: directory.path,
  });
}
