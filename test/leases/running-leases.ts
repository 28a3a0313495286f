import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BidService, LeaseService, ReservationService } from '@quartermaster/api/cluster';
import { BidChoice, Deployments } from '@quartermaster/api/market';
import { RemovalsService } from '@quartermaster/api/removals';
import { type TenantLeaseStatus, tenantLeaseType } from '@quartermaster/api/tenant-lease';
import { clusterRole } from '@quartermaster/cluster/roles';
import { jsonEqual } from '@quartermaster/controller';
import { inventoryRole } from '@quartermaster/inventory';
import { inventoryTokens } from '@quartermaster/inventory/testing';
import { limit } from '@quartermaster/kernel';
import { discover, type KubeObject, kinds, type ResourceType } from '@quartermaster/kube';
import type { Pod } from '@quartermaster/kube/shapes';
import { startMarketPostgres, startTestMarket, type TestMarket } from '@quartermaster/market/testing';
import { openRpcChannel, type RpcChannel, type ServiceClient } from '@quartermaster/rpc';
import { startRole } from '@quartermaster/runtime/testing';
import { vi } from 'vitest';
import { reasonsOf } from '../cluster/health-reasons.ts';
import { type ClusterTokens, clusterTokens, until } from '../cluster/running-cluster.ts';
import { startFastRole } from '../cluster/start-fast-role.ts';
import type { LeasedCluster } from './leased-cluster.ts';

export interface LeasesOptions {
  /** Settings of the cluster service, after those of the harness, which they override. */
  readonly args?: readonly string[] | undefined;
  /** Inventory and cluster service are processes of their own whose time passes so many times as fast. Without it, they run in this process. */
  readonly pace?: number | undefined;
  /** Where the cluster service finds the market, made of where it is. */
  readonly marketThrough?: ((address: string) => Promise<string>) | undefined;
}

/** A deployment with one group, and the lease that comes of it. */
export interface Deployed {
  readonly id: string;
  readonly owner: string;
  readonly order: { readonly owner: string; readonly dseq: bigint; readonly gseq: number; readonly oseq: number };
  /** Of its Reservation, its BidDecision and its TenantLease. */
  readonly name: string;
  readonly namespace: string;
  /** Of the manifest that counts. */
  readonly manifestHash: string;
}

interface Running {
  readonly grpc: string;
  /** What is not as it should be, and why. */
  complaints(): Promise<readonly string[]>;
  end(): Promise<void>;
}

export const provider = 'farm';
export const manifestNamespace = 'lease';
/** On everything of a lease. */
export const namespaceLabel = 'akash.network/namespace';

/** Deadlines that tests do not wait for, and room for everybody. Nothing of what a test has ended is forgotten while another one looks at every write. */
const standard = [
  ...['--bid-price-cpu-scale=0.001', '--bid-timeout=24h', '--manifest-timeout=24h'],
  ...['--cluster-pending-per-owner=1000', '--cluster-pending-owner-share=1', '--cluster-pending-share=1'],
  ...['--deployment-ingress-domain=farm.example', '--deployment-ingress-static-hosts=true', '--hostname-cool-down=24h'],
  ...['--lease-removal-max=1000', '--inventory-resource-poll-period=500ms'],
];

/** What takes seconds takes longer than a minute on a machine that is busy with other tests. Less than tests have, so that a failure says what did not come about. */
const busyMs = 100_000;

/** A market on PostgreSQL, the inventory and the cluster service on a cluster in which pods run: everything between an SDL and what runs of it. */
export class RunningLeases {
  readonly cluster: LeasedCluster;
  readonly market: TestMarket;
  readonly #ends: (() => unknown)[] = [];
  readonly #pace: number | undefined;
  readonly #tokens: ClusterTokens;
  readonly #token: string;
  readonly #tenants = new Map<string, RpcChannel>(); // account -> its connection
  #args: readonly string[] = [];
  #service: Running | undefined;
  #channel: RpcChannel | undefined;

  private constructor(cluster: LeasedCluster, market: TestMarket, tokens: ClusterTokens, token: string, pace: number | undefined) {
    this.cluster = cluster;
    this.market = market;
    this.#tokens = tokens;
    this.#token = token;
    this.#pace = pace;
  }

  /** Resolves when the service leads and knows the nodes. The cluster ends with it. */
  static async start(
    cluster: LeasedCluster,
    { args = [], pace, marketThrough = async (address) => address }: LeasesOptions = {},
  ): Promise<RunningLeases> {
    const [postgres, tokens, inventory] = await Promise.all([startMarketPostgres(), clusterTokens(), inventoryTokens()]);
    const market = await startTestMarket({ postgres, terms: { choiceDelayMs: 0 } });
    const leases = new RunningLeases(cluster, market, tokens, await tokens.issue('admin'), pace);
    const directory = await mkdtemp(join(tmpdir(), 'running-leases-'));
    leases.#ends.push(
      () => rm(directory, { recursive: true, force: true }),
      () => cluster.stop(),
      () => postgres.stop(),
      () => tokens.end(),
      () => inventory.end(),
      () => market.stop(),
    );
    try {
      const operator = await leases.#startRole('inventory', cluster.kubeconfig, inventory.args);
      leases.#ends.push(() => operator.end());
      const file = async (name: string, text: string): Promise<string> => {
        await writeFile(join(directory, name), text, { mode: 0o600 });
        return join(directory, name);
      };
      leases.#args = [
        `--cluster-inventory-address=${operator.grpc}`,
        `--cluster-inventory-token-file=${await file('inventory-token', await inventory.issue('admin'))}`,
        `--cluster-market-address=${await marketThrough(market.grpcAddress)}`,
        `--cluster-market-token-file=${await file('market-token', await market.token({ name: 'agent', role: 'provider', source: provider }))}`,
        ...tokens.args,
        ...standard,
        ...args,
      ];
      leases.#ends.push(() => leases.endService());
      await leases.startService();
      return leases;
    } catch (thrown) {
      await leases.stop();
      throw thrown;
    }
  }

  /** Resolves when it leads and has taken over, the inventory is known and, unless nobody can, the market was read. Settings that are given override those of before, this time. */
  async startService({
    withMarket = true,
    args = [] as readonly string[],
    kubeconfig = this.cluster.serviceKubeconfig,
  } = {}): Promise<void> {
    this.#service = await this.#startRole('cluster', kubeconfig, [...this.#args, ...args]);
    this.#channel = openRpcChannel({ address: this.#service.grpc, tls: this.#tokens.tls, token: () => this.#token, tries: 1 });
    await until(async () => {
      const { isLeader, inventory } = await this.reservations().getStatus({});
      return isLeader && inventory?.fresh === true && (!withMarket || (await this.bids().getBidStatus({})).market?.readAt !== undefined);
    });
    // It leads before it has marked what was promised before as its own.
    const nobody = { owner: 'akash1nobody', dseq: 1n, gseq: 1, oseq: 1 };
    await vi.waitFor(() => this.reservations().unreserve({ order: nobody }), { timeout: 60_000, interval: 50 });
  }

  /** Another replica, with settings of its own beside. Whoever starts it ends it. */
  startStandby = (args: readonly string[]) => this.#startRole('cluster', this.cluster.serviceKubeconfig, [...this.#args, ...args]);

  /** A process with SIGKILL; one that runs here is told to stop. Idempotent. */
  async endService(): Promise<void> {
    const ended = this.#service;
    this.#channel?.close();
    this.#service = undefined;
    this.#channel = undefined;
    await ended?.end();
  }

  leases = (): ServiceClient<typeof LeaseService> => this.#open().client(LeaseService);
  reservations = (): ServiceClient<typeof ReservationService> => this.#open().client(ReservationService);
  bids = (): ServiceClient<typeof BidService> => this.#open().client(BidService);
  removals = (): ServiceClient<typeof RemovalsService> => this.#open().client(RemovalsService);
  deployments = (owner: string): ServiceClient<typeof Deployments> => this.#tenant(owner).client(Deployments);

  /** What the cluster service says is not as it should be. */
  async complaints(): Promise<readonly string[]> {
    return (await this.#service?.complaints()) ?? [];
  }

  /** Orders, and leaves the choice of the bid to the market. The account must be a label of DNS. */
  async deploy(owner: string, sdl: string): Promise<Deployed> {
    const { object } = await this.deployments(owner).create({ object: { spec: { sdl, choice: BidChoice.CHEAPEST } } });
    const { dseq = 0n, manifestHash = '' } = object?.status ?? {};
    const name = `${owner}-${dseq}-1-1`;
    return { id: object?.id ?? '', owner, order: { owner, dseq, gseq: 1, oseq: 1 }, name, namespace: `lease-${name}`, manifestHash };
  }

  /** The same deployment, with the hash of what is to run now. */
  async update(deployed: Deployed, sdl: string, confirm: readonly string[] = []): Promise<Deployed> {
    const { object } = await this.deployments(deployed.owner).update({
      ...{ object: { id: deployed.id, spec: { sdl } }, updateMask: { paths: ['spec.sdl'] } },
      confirm: [...confirm],
    });
    return { ...deployed, manifestHash: object?.status?.manifestHash ?? '' };
  }

  async close({ owner, id }: Deployed): Promise<void> {
    await this.deployments(owner).close({ id });
  }

  /** What is recorded of the lease. Undefined while there is no record. */
  async statusOf({ name }: Pick<Deployed, 'name'>): Promise<TenantLeaseStatus | undefined> {
    return (await this.cluster.client.find(tenantLeaseType, { name }))?.status;
  }

  /** Waits until the record of the lease says so; a failure tells what it said last. */
  async untilStatus(deployed: Deployed, expected: Partial<TenantLeaseStatus>, timeout = busyMs): Promise<void> {
    await vi.waitFor(
      async () => {
        const status = await this.statusOf(deployed);
        const fields = Object.entries(expected) as [keyof TenantLeaseStatus, unknown][];
        if (!fields.every(([field, value]) => jsonEqual(status?.[field], value)))
          throw new Error(`${deployed.name} says ${status?.reason}: ${status?.message ?? ''}`);
      },
      { timeout, interval: 100 },
    );
  }

  /** Waits until all replicas of the manifest that counts are available. */
  async untilRunning(deployed: Deployed, timeout?: number): Promise<void> {
    const { manifestHash } = deployed;
    await this.untilStatus(deployed, { state: 'Active', reason: 'Running', manifestHash }, timeout);
  }

  async untilComplete(deployed: Deployed, timeout?: number): Promise<void> {
    await this.untilStatus(deployed, { state: 'Complete' }, timeout);
  }

  /** Deploys, and waits until it runs. */
  async run(owner: string, sdl: string): Promise<Deployed> {
    const deployed = await this.deploy(owner, sdl);
    await this.untilRunning(deployed);
    return deployed;
  }

  /** Those that are not on their way out, by name; of one service where it is given. */
  async pods({ namespace }: Pick<Deployed, 'namespace'>, service?: string): Promise<readonly Pod[]> {
    const { items } = await this.cluster.client.list(kinds.pods, { namespace });
    return items
      .filter(({ metadata }) => metadata?.deletionTimestamp === undefined)
      .filter(({ metadata }) => service === undefined || metadata?.labels?.['akash.network/manifest-service'] === service)
      .toSorted((a, b) => ((a.metadata?.name ?? '') < (b.metadata?.name ?? '') ? -1 : 1));
  }

  /** Every object of the cluster but Events, which come and go by themselves. */
  async everything(): Promise<readonly KubeObject[]> {
    const { client } = this.cluster;
    const listed = (await discover(client.transport)).filter(
      ({ verbs, kind, preferred, group }) => verbs.includes('list') && preferred && kind !== 'Event' && group !== 'metrics.k8s.io',
    );
    const inTurn = limit(8);
    const lists = await Promise.all(listed.map((type) => inTurn(async () => withKind(type, (await client.list(type)).items))));
    return lists.flat();
  }

  /** All that there is of a lease, wherever it is. */
  async objectsOf(deployed: Deployed): Promise<readonly KubeObject[]> {
    return (await this.everything()).filter((object) => isOf(object, deployed));
  }

  async stop(): Promise<void> {
    for (const end of this.#ends.splice(0).toReversed()) await end();
  }

  #open(): RpcChannel {
    if (this.#channel === undefined) throw new Error('the cluster service does not run');
    return this.#channel;
  }

  #tenant(owner: string): RpcChannel {
    const known = this.#tenants.get(owner) ?? this.market.tenant(owner);
    this.#tenants.set(owner, known);
    return known;
  }

  async #startRole(role: 'inventory' | 'cluster', kubeconfig: string, args: readonly string[]): Promise<Running> {
    if (this.#pace === undefined) {
      const running = await startRole(role === 'cluster' ? clusterRole : inventoryRole, { kubeconfig, args });
      return {
        grpc: running.served.grpc,
        complaints: async () => reasonsOf(await running.health.report('ready')),
        end: () => running.stop(),
      };
    }
    const { grpc, complaints, kill } = await startFastRole({ role, kubeconfig, times: this.#pace, args });
    return { grpc, complaints, end: kill };
  }
}

const withKind = ({ kind }: ResourceType, items: readonly KubeObject[]): readonly KubeObject[] => items.map((item) => ({ ...item, kind }));

/** Whether it is a part of the lease, wherever it is. */
export function isOf(object: KubeObject, { name, namespace }: Deployed): boolean {
  const { metadata = {} } = object;
  if (metadata.namespace === namespace || metadata.labels?.[namespaceLabel] === namespace) return true;
  if (metadata.namespace === undefined && (metadata.name === namespace || metadata.name === name)) return true;
  const { spec } = object as { readonly spec?: { readonly lease?: unknown; readonly claimRef?: { readonly namespace?: string } } };
  return spec?.lease === name || spec?.claimRef?.namespace === namespace;
}

/** `Kind namespace/name` of each, sorted. */
export const namesOf = (objects: readonly KubeObject[]): readonly string[] =>
  objects
    .map(({ kind, metadata }) => `${kind} ${metadata?.namespace === undefined ? '' : `${metadata.namespace}/`}${metadata?.name}`)
    .sort();

export const nodesOf = (pods: readonly Pod[]): readonly string[] => pods.map(({ spec }) => spec?.nodeName ?? '').sort();
export const uidsOf = (pods: readonly Pod[]): readonly string[] => pods.map(({ metadata }) => metadata?.uid ?? '').sort();
