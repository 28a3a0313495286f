import type { Clock } from '@quartermaster/kernel';
import {
  createLogger,
  Health,
  Lifecycle,
  type LiveConfig,
  type Logger,
  Metrics,
  type RoleStatus,
  runRoles,
  SharedParts,
  watchConfig,
} from '@quartermaster/service';
import { type DeclaredRole, type ServedAddresses, ServedRoles, sharedServed } from '../src/index.ts';

export interface StartRoleOptions {
  /** Of the cluster that it works on. */
  readonly kubeconfig?: string | undefined;
  /** Settings, as on the command line. Ports are free ones unless given. */
  readonly args?: readonly string[] | undefined;
  /** A configuration file, in which reloadable settings can be changed. */
  readonly file?: string | undefined;
  /** Parts that it shares with the test: a bus, a client. */
  readonly shared?: SharedParts | undefined;
  readonly log?: Logger | undefined;
  readonly clock?: Clock | undefined;
}

/** A role in this process, as an executable runs it. */
export interface RunningRole {
  /** Where it serves; throws when it serves nothing. */
  readonly served: ServedAddresses;
  readonly config: LiveConfig;
  readonly metrics: Metrics;
  readonly health: Health;
  /** What it logged at warning or above, unless it logs elsewhere. */
  readonly complaints: readonly string[];
  status(): RoleStatus | undefined;
  /** Asks its REST port. */
  get(path: string, headers?: Readonly<Record<string, string>>): Promise<{ readonly status: number; readonly text: string }>;
  /** Idempotent. */
  stop(): Promise<void>;
}

/** Starts a role against any API server or database, and resolves when it is ready. */
export async function startRole(role: DeclaredRole, options: StartRoleOptions = {}): Promise<RunningRole> {
  const complaints: string[] = [];
  const log = options.log ?? createLogger({ level: 'warn', destination: { write: (line: string) => complaints.push(line) > 0 } });
  const shared = options.shared ?? new SharedParts();
  const served = shared.find(sharedServed) ?? new ServedRoles();
  if (shared.find(sharedServed) === undefined) shared.provide(sharedServed, served);
  const { clock, kubeconfig, file } = options;
  const lifecycle = new Lifecycle({ log, clock });
  const cluster = kubeconfig === undefined ? [] : [`--kubeconfig=${kubeconfig}`];
  const ports = role.portFlags.filter((flag) => !options.args?.some((arg) => arg.startsWith(flag))).map((flag) => `${flag}=0`);
  const config = await watchConfig(role.config, { args: [...ports, ...cluster, ...(options.args ?? [])], file, environment: {} });
  lifecycle.add({ name: 'configuration', stop: () => config.close() });
  const metrics = new Metrics({ process: false });
  const health = new Health({ clock });
  // The first failure is told instead of tried again.
  const once = { ...role, restart: undefined };
  const running = await runRoles([once], { version: '0.1.0-test', config, log, lifecycle, metrics, health, shared, clock }).catch(
    (thrown: unknown) => {
      throw thrown instanceof Error && thrown.cause !== undefined ? thrown.cause : thrown;
    },
  );
  const addresses = (): ServedAddresses => {
    const found = served.of(role.name);
    if (found === undefined) throw new Error(`role ${role.name} serves nothing`);
    return found;
  };
  return {
    get served() {
      return addresses();
    },
    config,
    metrics,
    health,
    complaints,
    status: () => running.status()[0],
    get: async (path, headers) => {
      const answer = await fetch(`${addresses().rest}${path}`, { headers: { ...headers, connection: 'close' } });
      return { status: answer.status, text: await answer.text() };
    },
    stop: async () => {
      await lifecycle.stop({ kind: 'request', by: 'the test' });
    },
  };
}
