import { join } from 'node:path';
import { createMemoryBus } from '@quartermaster/bus';
import { fulfillmentRole } from '@quartermaster/fulfillment/roles';
import { type Inventory, sharedInventory } from '@quartermaster/inventory/roles';
import { type Clock, StatusError } from '@quartermaster/kernel';
import type { KubeClient } from '@quartermaster/kube';
import { ServedRoles, sharedBus, sharedKubernetes, sharedPostgresDirectory, sharedServed } from '@quartermaster/runtime';
import {
  Health,
  type Lifecycle,
  type Logger,
  Metrics,
  outgoingTraceHeaders,
  SharedParts,
  startAdminServer,
  withIncomingTrace,
} from '@quartermaster/service';
import { LiveSource } from '../console/live-source.ts';
import { installDiscovery } from '../install/install-discovery.ts';
import { version } from '../product/product.ts';
import { checkPort } from '../run/check-port.ts';
import { removeRunFile, writeRunFile } from '../run/run-file.ts';
import { inStep, type Progress } from '../text/progress.ts';
import { chooseWorld } from './choose-world.ts';
import { connectCluster } from './connect-cluster.ts';
import type { DataDirectory } from './data-directory.ts';
import { openDirectory } from './open-directory.ts';
import { playDatacenter, type TenantAccess } from './play-datacenter.ts';
import { Slot } from './slot.ts';
import { startAlone, type UpFulfillment } from './start-alone.ts';
import { startCluster } from './start-cluster.ts';
import { type RoleSite, startRoles } from './start-roles.ts';
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
  readonly roles: RoleSite;
  /** Where the probes and the metrics of the process are served. */
  readonly adminUrl: string;
}

const host = '127.0.0.1';
const adminStopMs = 500;

/** A cluster that we started is there, and may be busy filling itself; a given one may be anywhere, or nowhere. */
const answerWithinMs = { simulated: 60_000, real: 60_000, given: 10_000 } as const;

/** Starts every part in order and resolves when all of them are ready. What was started is in the lifecycle, also after a failure. */
export async function startUp(context: UpContext): Promise<void> {
  const site = await prepare(context);
  // It needs no cluster. Its failure, and that of the page, are told where they are waited for: another part may fail before, and then that is what is told.
  const fulfillment = startAlone(site.roles, site.directory);
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

async function prepare({ options, progress, log, clock, lifecycle }: UpContext): Promise<Site> {
  const directory = await openDirectory(options);
  lifecycle.add({ name: 'data directory', stop: () => directory.close() });
  // An `up` that was killed leaves one.
  removeRunFile(directory.path);
  await checkPort(options.port);
  const kubernetes = options.kubeconfig === undefined ? options.kubernetes : 'given';
  const kubeconfig = options.kubeconfig ?? directory.kubeconfig;
  const scenario = kubernetes === 'given' ? undefined : await chooseWorld(options, directory);
  const inventory = new Slot<Inventory>();
  const source = new LiveSource({
    inventory,
    installation: {
      version,
      startedAt: clock.now(),
      scenario,
      dataDirectory: directory.path,
      kubernetes,
      kubeconfig,
    },
    clock,
    log,
  });
  lifecycle.add({ name: 'view of the inventory', stop: async () => source.inventory.stop() });
  const shared = new SharedParts();
  const served = new ServedRoles();
  shared.provide(sharedServed, served);
  shared.provide(sharedInventory, inventory);
  // Where the first release had it, for its one role.
  shared.provide(sharedPostgresDirectory, join(directory.fulfillment, 'postgres'));
  const metrics = new Metrics({ log });
  const health = new Health({ clock });
  const admin = await startAdminServer({ health, metrics, host, clock, log });
  lifecycle.add({ name: 'admin server', stop: ({ withinMs }) => admin.stop(Math.min(withinMs, adminStopMs)) });
  const dataDirectory = directory.path;
  const roles = { dataDirectory, shared, served, metrics, health, parts: source.parts, progress, log, clock, lifecycle };
  return { directory, kubernetes, kubeconfig, scenario, source, roles, adminUrl: admin.url };
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

async function startOnCluster(context: UpContext, { roles }: Site, client: KubeClient): Promise<void> {
  const bus = createMemoryBus({ clock: context.clock, context: { outgoing: outgoingTraceHeaders, run: withIncomingTrace } });
  context.lifecycle.add({ name: 'bus', stop: () => bus.close() });
  roles.shared.provide(sharedKubernetes, client);
  roles.shared.provide(sharedBus, { bus, isShared: false });
  await startRoles(roles, { step: 'roles', phase: 'on-cluster' });
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
  const { directory, kubernetes, kubeconfig, scenario, source, roles, adminUrl } = site;
  source.parts.set('console', 'embedded', { state: 'starting' });
  const url = await inStep(progress, 'console', async (step) => {
    step.update('building its page');
    const assets = await page;
    const { startConsole } = await import('@quartermaster/console');
    const fulfillment = { restUrl: () => service.served().rest, token: () => service.access.consoleToken() };
    const served = await startConsole({ source, host, port: options.port, log, assets, clock, fulfillment });
    lifecycle.add({ name: 'console', stop: () => served.stop() });
    return { result: served.url, detail: served.url };
  });
  source.parts.set('console', 'embedded', { state: 'ready', facts: { address: url } });
  const tokenFile = await service.access.issueFile({ name: 'admin', role: 'admin' });
  const facts = () => ({
    pid: process.pid,
    version,
    console: url,
    admin: adminUrl,
    kubeconfig,
    kubernetes,
    scenario,
    roles: { ...Object.fromEntries(roles.served.all()), [fulfillmentRole.name]: { ...service.served(), tokenFile } },
    tenants: [...tenants],
  });
  lifecycle.add({ name: 'run file', stop: () => removeRunFile(directory.path) });
  // A role that is started again serves on other ports.
  lifecycle.add({ name: 'addresses of roles', stop: roles.served.subscribe(() => writeRunFile(directory.path, facts())) });
  writeRunFile(directory.path, facts());
  progress.ready(
    summary({ consoleUrl: url, kubeconfig, kubernetes, directory: directory.path, fulfillment: service.served().rest, tokenFile, tenants }),
    {
      ...facts(),
      dataDirectory: directory.path,
    },
  );
}
