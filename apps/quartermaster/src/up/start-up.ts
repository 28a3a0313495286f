import { join } from 'node:path';
import { createMemoryBus } from '@quartermaster/bus';
import { clusterRole, sharedInventoryToken, sharedMarketToken } from '@quartermaster/cluster/roles';
import type { SimulatedFaults } from '@quartermaster/console';
import { consoleRole, sharedConsole } from '@quartermaster/console/roles';
import { sharedAgents } from '@quartermaster/inventory/roles';
import { type Clock, StatusError } from '@quartermaster/kernel';
import type { KubeClient } from '@quartermaster/kube';
import { marketRole } from '@quartermaster/market/roles';
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
import { faultsBy } from '../faults/fault-client.ts';
import { shownFaults } from '../faults/shown-faults.ts';
import { installDiscovery } from '../install/install-discovery.ts';
import { version } from '../product/product.ts';
import { checkPort } from '../run/check-port.ts';
import { removeRunFile, writeRunFile } from '../run/run-file.ts';
import { consoleLink } from '../status/console-link.ts';
import { inStep, type Progress } from '../text/progress.ts';
import { chooseWorld } from './choose-world.ts';
import { connectCluster } from './connect-cluster.ts';
import type { DataDirectory } from './data-directory.ts';
import { forwardedAgents } from './forwarded-agents.ts';
import { LocalAccess } from './local-access.ts';
import { openDirectory } from './open-directory.ts';
import { PartBoard } from './part-board.ts';
import { playDatacenter, type TenantAccess } from './play-datacenter.ts';
import { playMarket } from './play-market.ts';
import { probeCluster } from './probe-cluster.ts';
import { scenarioPrices } from './scenario-prices.ts';
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
  readonly startedAt: number;
  readonly roles: RoleSite;
  /** To whatever this process serves. Its failure is told where it is waited for. */
  readonly access: Promise<LocalAccess>;
  /** Where the probes and the metrics of the process are served. */
  readonly adminUrl: string;
}

interface Connected {
  readonly client: KubeClient;
  /** Scheme, host and port. */
  readonly server: string;
}

const host = '127.0.0.1';
const adminStopMs = 500;
/** Of the provider of this installation, on its market. */
const marketAccount = 'provider';
/** The page waits for the answer. */
const faultsMs = 1_000;

/** Starts every part in order and resolves when all of them are ready. What was started is in the lifecycle, also after a failure. */
export async function startUp(context: UpContext): Promise<void> {
  const site = await prepare(context);
  // It needs no cluster. Its failure, and that of the page, are told where they are waited for: another part may fail before, and then that is what is told.
  const fulfillment = startAlone(site.roles, site.access);
  fulfillment.catch(() => {});
  const embedded = startEmbedded(context, site);
  // A page needs no cluster, and a cluster no page: the console is loaded, and built where needed, while the cluster's process starts.
  const page = buildPage(context);
  page.catch(() => {});
  await embedded;
  const { client, server } = await connect(context, site);
  await installDiscovery({ ...context, client, kubernetes: site.kubernetes });
  await startOnCluster(site, client);
  const service = await fulfillment;
  const tenants = site.scenario === undefined ? [] : await playDatacenter(context, site.scenario, service);
  if (site.scenario !== undefined) await playMarket(context, site.scenario, site.roles, service.access);
  await serveConsole(context, site, { service, tenants, server }, page);
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
  const shared = new SharedParts();
  const served = new ServedRoles();
  shared.provide(sharedServed, served);
  const bus = createMemoryBus({ clock, context: { outgoing: outgoingTraceHeaders, run: withIncomingTrace } });
  lifecycle.add({ name: 'bus', stop: () => bus.close() });
  shared.provide(sharedBus, { bus, isShared: false });
  // Where the first release had it, for its one role.
  shared.provide(sharedPostgresDirectory, join(directory.fulfillment, 'postgres'));
  const metrics = new Metrics({ log });
  const health = new Health({ clock });
  const access = LocalAccess.open(directory.fulfillment, clock);
  // Its failure is told where it is waited for.
  access.catch(() => {});
  const admin = await startAdminServer({ health, metrics, host, clock, log, admit: async ({ token }) => (await access).admit(token) });
  lifecycle.add({ name: 'admin server', stop: ({ withinMs }) => admin.stop(Math.min(withinMs, adminStopMs)) });
  const dataDirectory = directory.path;
  const roles = { dataDirectory, shared, served, metrics, health, parts: new PartBoard(clock), progress, log, clock, lifecycle };
  return { directory, kubernetes, kubeconfig, scenario, startedAt: clock.now(), roles, access, adminUrl: admin.url };
}

async function startEmbedded({ options, progress, clock, lifecycle }: UpContext, site: Site): Promise<void> {
  const {
    kubernetes,
    scenario,
    directory,
    kubeconfig,
    roles: { parts },
  } = site;
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
      parts.set(part.name, 'embedded', { state: 'starting', facts: { pid: String(part.pid) } });
    },
    onReady: (name) => parts.set(name, 'embedded', { state: 'ready' }),
    onLost: (name, why) => {
      parts.set(name, 'embedded', { state: 'failed', reason: `its process ended: ${why}` });
      const message = `the process of the ${name} ended by itself (${why}), what it kept is still in ${directory.path}: start again`;
      void lifecycle.stop({ kind: 'failure', error: new StatusError('unavailable', message) });
    },
  });
}

function connect({ progress, clock, lifecycle }: UpContext, { kubernetes, kubeconfig, roles }: Site): Promise<Connected> {
  return inStep(progress, 'Kubernetes API', async (step) => {
    const options = { kubeconfig, isOurs: kubernetes !== 'given', clock, onWait: (text: string) => step.update(text) };
    const { client, server, version: served } = await connectCluster(options, lifecycle.signal);
    lifecycle.add({ name: 'connections to the cluster', stop: () => client.close() });
    lifecycle.add({ name: 'probes of the cluster', stop: probeCluster(client, roles.parts, clock) });
    return { result: { client, server }, detail: `${server}, ${served}` };
  });
}

async function startOnCluster({ roles, access, scenario }: Site, client: KubeClient): Promise<void> {
  roles.shared.provide(sharedKubernetes, client);
  roles.shared.provide(sharedAgents, await forwardedAgents(client, roles.clock));
  const tokens = await access;
  // It is a provider's program: it reads the inventory, and nobody else is shown its token.
  roles.shared.provide(sharedInventoryToken, () => tokens.issue({ name: clusterRole.name, role: 'provider' }));
  roles.shared.provide(sharedMarketToken, () =>
    tokens.issue({ name: clusterRole.name, role: 'provider', source: marketAccount, services: [marketRole.declaration.prefix] }),
  );
  const presets = scenario === undefined ? [] : scenarioPrices;
  await startRoles(roles, { phase: 'on-cluster', keyFile: tokens.keyFile, presets });
}

async function buildPage({ log }: UpContext): Promise<string> {
  const { ensureConsoleBuilt } = await import('@quartermaster/console');
  return await ensureConsoleBuilt({ log });
}

interface Served {
  readonly service: UpFulfillment;
  readonly tenants: readonly TenantAccess[];
  /** Of the API server. */
  readonly server: string;
}

async function serveConsole(context: UpContext, site: Site, { service, tenants, server }: Served, page: Promise<string>): Promise<void> {
  const { progress, lifecycle } = context;
  const { directory, kubernetes, kubeconfig, scenario, startedAt, roles, adminUrl } = site;
  await page;
  const url = await startConsole(context, site, server);
  const tokenFile = await service.access.issueFile({ name: 'admin', role: 'admin' });
  const providerTokenFile = await service.access.issueFile({ name: 'market-provider', role: 'provider', source: marketAccount });
  const facts = () => ({
    pid: process.pid,
    version,
    startedAt,
    console: url(),
    admin: adminUrl,
    kubeconfig,
    kubernetes,
    scenario,
    server,
    roles: Object.fromEntries([...roles.served.all()].map(([role, served]) => [role, { ...served, tokenFile }])),
    parts: roles.parts.list().map((part) => ({ ...part })),
    tenants: [...tenants],
  });
  const write = (): void => writeRunFile(directory.path, facts());
  lifecycle.add({ name: 'run file', stop: () => removeRunFile(directory.path) });
  // A role that is started again serves on other ports, and on none until then.
  lifecycle.add({ name: 'addresses of roles', stop: roles.served.subscribe(write) });
  lifecycle.add({ name: 'states of parts', stop: roles.parts.subscribe(write) });
  write();
  const link = await consoleLink(url(), await service.access.issue({ name: 'admin', role: 'admin' }));
  const told = { kubeconfig, kubernetes, directory: directory.path, roles: roles.served.all(), tokenFile, providerTokenFile, tenants };
  progress.ready(summary({ ...told, consoleLink: link.url }), { ...facts(), dataDirectory: directory.path, link: link.url });
}

/**
 * The console as everywhere else, with what only this process knows. Returns where it serves now. Its keys are never kept: whoever listens on the port while `up` is away gets
 * both halves of the session of a page that is open.
 */
async function startConsole({ options }: UpContext, site: Site, server: string): Promise<() => string> {
  const { directory, kubernetes, kubeconfig, scenario, startedAt, roles } = site;
  let url = '';
  const installation = { version, startedAt, scenario, dataDirectory: directory.path, kubernetes, kubeconfig, server };
  roles.shared.provide(sharedConsole, {
    installation: () => ({ installation, parts: roles.parts.list(), changes: roles.parts.changes() }),
    faults: async (signal) => (kubernetes === 'given' ? undefined : await readFaults(directory.control, signal)),
    served: (served) => {
      url = served;
      roles.parts.set(consoleRole.name, 'role', { state: 'starting', facts: { address: served } });
    },
  });
  await startRoles(roles, {
    phase: 'last',
    args: [...['--console-port', String(options.port)], ...['--console-sign-in', 'link,token'], '--console-kubernetes'],
    detail: () => url,
  });
  return () => url;
}

/** Undefined when the simulation does not say: it may be starting, or stopped. */
async function readFaults(controlFile: string, signal: AbortSignal): Promise<SimulatedFaults | undefined> {
  try {
    return await shownFaults(faultsBy(controlFile, AbortSignal.any([signal, AbortSignal.timeout(faultsMs)])));
  } catch {
    // The page has the rest all the same, and its parts say that the simulation is away.
    return undefined;
  }
}
