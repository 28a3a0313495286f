import { hostname } from 'node:os';
import { type Clock, type Random, StatusError } from '@quartermaster/kernel';
import type { KubeClient } from '@quartermaster/kube';
import {
  type ConfigDefinition,
  type ConfigValues,
  Health,
  type HealthRegistry,
  type Logger,
  type Metrics,
  type RoleContext,
  type SharedParts,
} from '@quartermaster/service';
import { databaseSettings } from '../declaration/database-settings.ts';
import { type HttpPort, httpSettings } from '../declaration/http-settings.ts';
import type { RoleNeeds } from '../declaration/role-needs.ts';
import { type ServerPorts, serverSettings } from '../declaration/server-settings.ts';
import { type RoleBus, type ServedAddresses, sharedServed } from '../declaration/shared-keys.ts';
import type { FuseOptions, RoleFuse } from '../fuse/role-fuse.ts';
import { openBus } from './role-bus.ts';
import { RoleCaches } from './role-caches.ts';
import type { RoleDatabase, RoleDatabaseOptions } from './role-database.ts';
import { RoleFuses } from './role-fuses.ts';
import type { HttpListener } from './role-http.ts';
import { RoleLeadership } from './role-leadership.ts';
import type { ServeOptions } from './role-servers.ts';
import type { ServiceAccountReviews } from './role-service-accounts.ts';

interface Kept {
  readonly name: string;
  readonly stop: () => unknown;
  readonly order: 'first' | 'in-turn';
}

/**
 * What a role runs on. Loads and opens the parts that the declaration names when they are first asked for, and stops them with everything that the role keeps here, in the
 * reverse order. The same for every role: its health, its metrics, its probes, its leader and its status.
 */
export class RoleHost<C extends ConfigValues = ConfigValues> {
  readonly name: string;
  readonly prefix: string;
  readonly version: string;
  /** This process, among those of the same role. */
  readonly replica: string;
  /** The role's own settings. */
  readonly config: C;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly clock: Clock;
  readonly random: Random;
  readonly shared: SharedParts;
  readonly signal: AbortSignal;
  /** Checks that are registered here count for the process and for the probes of the role's own port. */
  readonly health: HealthRegistry;
  readonly caches: RoleCaches;
  readonly #fuses: RoleFuses;
  readonly #declaration: RoleNeeds;
  readonly #own: ConfigDefinition<C>;
  readonly #context: RoleContext;
  readonly #probes: Health;
  readonly #ends: Kept[] = []; // in the order of their starts
  readonly #late: Promise<void>[] = [];
  #stopping: Promise<void> | undefined;
  #kubernetes: Promise<KubeClient> | undefined;
  #bus: RoleBus | undefined;
  #leadership: RoleLeadership | undefined;
  #served: ServedAddresses | { readonly http: string } | undefined;
  #database: RoleDatabase | undefined;

  constructor(declaration: RoleNeeds, own: ConfigDefinition<C>, context: RoleContext) {
    const { log, metrics, clock, random, shared, signal, version } = context;
    this.name = declaration.name;
    this.prefix = declaration.prefix;
    this.version = version;
    this.replica = `${process.env['POD_NAME'] ?? hostname()}-${Buffer.from(random.fill(new Uint8Array(4))).toString('hex')}`;
    this.config = own.slice(context.config);
    this.log = log;
    this.metrics = metrics;
    this.clock = clock;
    this.random = random;
    this.shared = shared;
    this.signal = signal;
    this.#declaration = declaration;
    this.#own = own;
    this.#context = context;
    this.#probes = new Health({ clock });
    this.health = {
      register: (name, purpose, check) => {
        const removers = [context.health.register(name, purpose, check), this.#probes.register(name, purpose, check)];
        return () => removers.forEach((remove) => remove());
      },
    };
    this.caches = new RoleCaches(this);
    this.#fuses = new RoleFuses(this);
  }

  /**
   * To be called for everything that was started, in that order. It is stopped before what was kept earlier. What faces others, such as servers, is stopped `first`, so
   * that nothing behind it can take its time away: an election may wait for its API server. What comes once the host stops is stopped at once.
   */
  readonly keep = (name: string, stop: () => unknown, order: 'first' | 'in-turn' = 'in-turn'): void => {
    const kept = { name, stop, order };
    if (this.#stopping === undefined) this.#ends.push(kept);
    else this.#late.push(this.#end(kept));
  };

  /** Work beside the rest, until the role stops. Its failure is the failure of the role. */
  run(name: string, work: (signal: AbortSignal) => Promise<void>): void {
    const ending = new AbortController();
    const running = work(ending.signal).catch((thrown: unknown) => {
      if (!ending.signal.aborted) this.fail(thrown);
    });
    this.keep(name, async () => {
      ending.abort(new StatusError('unavailable', `role ${this.name} is being stopped`));
      await running;
    });
  }

  /** Says that the role cannot go on. It is stopped and started again. */
  fail(thrown: unknown): void {
    this.#context.fail(thrown);
  }

  /** Told when reloadable settings of the role changed. */
  onConfig(listener: (config: C, changed: readonly string[]) => void): void {
    this.#context.onConfig((config, changed) => listener(this.#own.slice(config), changed));
  }

  /** The cluster that the settings name, or the one that the roles of this process share; the former for a role that `up` runs without a cluster. */
  kubernetes(): Promise<KubeClient> {
    this.#need('kubernetes');
    this.#kubernetes ??= import('./role-kubernetes.ts').then(({ connectKubernetes }) =>
      connectKubernetes(this, this.#declaration, this.#context.config),
    );
    return this.#kubernetes;
  }

  /** For `openAccess`, where service accounts of the cluster may call: whose their tokens are, and which rights they have. */
  async serviceAccounts(): Promise<ServiceAccountReviews> {
    const { openServiceAccounts } = await import('./role-service-accounts.ts');
    return await openServiceAccounts(this);
  }

  /** The bus of this process, or the NATS servers that the settings name; undefined where there is neither. */
  get bus(): RoleBus | undefined {
    this.#need('bus');
    this.#bus ??= openBus(this, this.#context.config);
    return this.#bus;
  }

  /** The database that the settings name, brought to what this release needs. To be called once. */
  async database(options: RoleDatabaseOptions): Promise<RoleDatabase> {
    this.#need('database');
    const { openRoleDatabase } = await import('./role-database.ts');
    this.#database = await openRoleDatabase(this, databaseSettings(this.prefix).read(this.#context.config), options);
    return this.#database;
  }

  /** The namespace of the role's own objects. */
  get namespace(): string {
    const lease = this.#need('lease');
    // The setting has passed the schema of the declaration.
    return typeof lease === 'string' ? (this.#context.config[`${this.prefix}-namespace`] as string) : lease.namespace;
  }

  /** What only one replica does. Begins when the role has started. */
  get leadership(): RoleLeadership {
    const lease = this.#need('lease');
    this.#leadership ??= new RoleLeadership(this, typeof lease === 'string' ? lease : lease.name);
    return this.#leadership;
  }

  /**
   * What removes things by itself does it through a fuse, which holds bulk removals until a person approves them. To be called before `serve`, where that is done. Needs
   * `kubernetes`, where it keeps what waits, and `lease`, in whose namespace and by whose leader it does.
   */
  async fuse(options: FuseOptions): Promise<RoleFuse> {
    const { kubernetes, lease } = this.#declaration;
    if (kubernetes === undefined || lease === undefined) {
      throw new StatusError('internal', `role ${this.name} has a fuse, which needs kubernetes and lease: add both to the declaration`);
    }
    return await this.#fuses.open(options);
  }

  /** Serves gRPC and REST on the ports of the settings, with probes, metrics and call metrics. All servers or none. To be called once. */
  async serve(options: ServeOptions): Promise<ServedAddresses> {
    const settings = serverSettings(this.prefix, this.#ports('grpc')).read(this.#context.config);
    const { startRoleServers } = await import('./role-servers.ts');
    const addresses = await startRoleServers(this, settings, this.#probes, await this.#fuses.served(options));
    this.#served = addresses;
    const served = this.shared.find(sharedServed);
    served?.put(this.name, addresses);
    this.keep('address', () => served?.remove(this.name, addresses), 'first');
    return addresses;
  }

  /** The HTTP server of the settings, with probes and a certificate that is followed. To be called once. */
  async http(): Promise<HttpListener> {
    const settings = httpSettings(this.prefix, this.#ports('http')).read(this.#context.config);
    const { openHttpListener } = await import('./role-http.ts');
    const listener = await openHttpListener(this, settings, this.#probes);
    return {
      ...listener,
      listen: async (...listeners) => {
        const http = await listener.listen(...listeners);
        this.#served = { http };
        return http;
      },
    };
  }

  /** For `startHosted` alone: the role has started everything. */
  async begin(): Promise<void> {
    if (this.#leadership === undefined) return;
    await this.#leadership.begin(await this.kubernetes());
  }

  status(): object {
    return {
      ...this.#served,
      database: this.#database && (this.#database.database.isReachable() ? 'reachable' : 'away'),
      keyRing: this.#database?.keyRingStatus(),
      ...this.#leadership?.status(),
      ...this.#fuses.status(),
    };
  }

  /** Idempotent. What fails to stop holds up nothing. */
  stop(): Promise<void> {
    this.#stopping ??= Promise.resolve().then(() => this.#stop());
    return this.#stopping;
  }

  async #stop(): Promise<void> {
    const ends = this.#ends.splice(0).toReversed();
    for (const kept of ends.filter(({ order }) => order === 'first')) await this.#end(kept);
    for (const kept of ends.filter(({ order }) => order === 'in-turn')) await this.#end(kept);
    await Promise.all(this.#late);
  }

  async #end({ name, stop }: Kept): Promise<void> {
    try {
      await stop();
    } catch (error) {
      this.log.error('part failed to stop', { part: name, error });
    }
  }

  #ports<K extends 'grpc' | 'http'>(kind: K): Extract<ServerPorts | HttpPort, Readonly<Record<K, number>>> {
    const declared = this.#need('servers');
    if (kind in declared) return declared as Extract<ServerPorts | HttpPort, Readonly<Record<K, number>>>;
    throw new StatusError('internal', `role ${this.name} serves ${kind} without declaring it: add it to servers of the declaration`);
  }

  #need<K extends 'kubernetes' | 'bus' | 'database' | 'servers' | 'lease'>(part: K): NonNullable<RoleNeeds[K]> {
    const declared = this.#declaration[part];
    if (declared !== undefined) return declared;
    throw new StatusError('internal', `role ${this.name} uses ${part} without declaring it: add it to the declaration`);
  }
}
