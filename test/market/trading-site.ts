import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BidService } from '@quartermaster/api/cluster';
import { contractsFolder } from '@quartermaster/api/manifests';
import { ProviderMarket } from '@quartermaster/api/market';
import { reservationType } from '@quartermaster/api/reservation';
import { tenantLeaseType } from '@quartermaster/api/tenant-lease';
import { LocalTokens } from '@quartermaster/auth';
import { clusterRole } from '@quartermaster/cluster/roles';
import { inventoryTokens } from '@quartermaster/inventory/testing';
import { silentLog, systemClock, systemRandom } from '@quartermaster/kernel';
import { type KubeObject, kinds } from '@quartermaster/kube';
import { startMarketPostgres } from '@quartermaster/market/testing';
import { type ClientTls, openRpcChannel, type RpcChannel, type ServiceClient } from '@quartermaster/rpc';
import { readManifests } from '@quartermaster/service';
import { type Database, KeyRing, openDatabase } from '@quartermaster/store';
import { vi } from 'vitest';
import { clusterTokens, installReservations } from '../cluster/running-cluster.ts';
import { type FastRole, startFastRole } from '../cluster/start-fast-role.ts';
import { deploymentOf } from '../deploy/apply-deployment.ts';
import { addNode, type OperatorCluster, patience, startSimulatedCluster } from '../inventory/operator-cluster.ts';
import { freePorts } from '../kube/free-ports.ts';

/** All time of the provider passes so many times as fast. That of the market does not: it gives its orders dates. */
export const pace = 20;
export const nodes = ['n-1', 'n-2', 'n-3', 'n-4'];
/** Orders of one CPU for which a node has room. */
export const perNode = 10;
const provider = 'tried';
const roles = { provider: { tenants: 'all', assignableTenants: [], hasSource: true }, tenant: { tenants: 'own' } } as const;
const resources = { cpu: String(perNode), memory: '512Gi', 'ephemeral-storage': '1000Gi', pods: '110' };
const terms = [
  ...['--bid-price-cpu-scale=0.001', '--bid-timeout=24h'],
  ...['--cluster-pending-per-owner=1000', '--cluster-pending-owner-share=1', '--cluster-pending-share=1'],
  // There is nothing here that starts pods: it is traded, and nothing runs. Neither time nor how many end at once ends or keeps a lease.
  ...['--manifest-timeout=30d', '--lease-unhealthy-timeout=30d', '--lease-removal-max=1000'],
];

/** An order as the database has it, and what is ours of it. */
export interface TradedOrder {
  /** Of its reservation, too. */
  readonly name: string;
  readonly owner: string;
  readonly order: bigint;
  readonly bid: bigint | null;
  readonly lease: bigint | null;
}

const traded = {
  name: 'traded-orders',
  text: `select o.tenants[1] || '-' || o.id as name, o.tenants[1] as owner, o.state as order, b.state as bid, l.state as lease from orders o
    left join bids b on b.id = o.id || '-' || $1 left join leases l on l.id = o.id || '-' || $1 order by o.created_at, o.id`,
};

/** A market on PostgreSQL and a provider that bids there, each a process that can be killed and started again, at the same address and on the same data. */
export class TradingSite {
  readonly #ends: (() => unknown)[] = [];
  readonly #directory: string;
  readonly #cluster: OperatorCluster;
  readonly #database: Database;
  readonly #tokens: LocalTokens;
  readonly #marketArgs: readonly string[];
  #clusterArgs: readonly string[] = [];
  #clusterTls: ClientTls | undefined;
  #clusterToken = '';
  #market: FastRole | undefined;
  #provider: FastRole | undefined;

  private constructor(directory: string, cluster: OperatorCluster, databaseUrl: string, tokens: LocalTokens, marketPort: number) {
    this.#directory = directory;
    this.#cluster = cluster;
    this.#tokens = tokens;
    this.#database = openDatabase({ url: databaseUrl, clock: systemClock, random: systemRandom, log: silentLog });
    this.#marketArgs = [
      `--market-database-url=${databaseUrl}`,
      `--market-key-ring-file=${join(directory, 'key-ring')}`,
      `--market-local-key-file=${join(directory, 'token-key')}`,
      `--market-grpc-port=${marketPort}`,
    ];
  }

  static async start(): Promise<TradingSite> {
    const directory = await mkdtemp(join(tmpdir(), 'trading-site-'));
    const [cluster, postgres] = await Promise.all([startSimulatedCluster(), startMarketPostgres()]);
    await writeFile(join(directory, 'key-ring'), KeyRing.generate(), { mode: 0o600 });
    const tokens = await LocalTokens.open(join(directory, 'token-key'), { name: 'market', roles }, systemClock);
    // The market comes back at the address that it had, which no outgoing connection may have been given meanwhile.
    const [port = 0] = await freePorts(1, systemRandom);
    const site = new TradingSite(directory, cluster, await postgres.createDatabase(), tokens, port);
    site.#ends.push(
      () => rm(directory, { recursive: true, force: true }),
      () => postgres.stop(),
      () => cluster.stop(),
      () => site.#database.close(),
    );
    await site.#startAll();
    return site;
  }

  async #startAll(): Promise<void> {
    const { kubeconfig, client } = this.#cluster;
    await installReservations(client);
    for (const definition of await readManifests(contractsFolder, deploymentOf(clusterRole).contracts))
      await client.apply<KubeObject>(kinds.customResourceDefinitions, definition, { fieldManager: 'test' });
    await vi.waitFor(() => client.list(tenantLeaseType, { limit: 1 }), patience);
    for (const name of nodes) await addNode(client, name, { resources });
    const [inventory, tokens] = await Promise.all([inventoryTokens(), clusterTokens()]);
    this.#ends.push(inventory.end, tokens.end);
    const [operator] = await Promise.all([
      startFastRole({ role: 'inventory', kubeconfig, times: pace, args: inventory.args }),
      this.startMarket(),
    ]);
    this.#ends.push(
      () => operator.kill(),
      () => this.killMarket(),
      () => this.killProvider(),
    );
    const file = async (name: string, text: string): Promise<string> => {
      await writeFile(join(this.#directory, name), text, { mode: 0o600 });
      return join(this.#directory, name);
    };
    const agent = await this.#tokens.issue({ name: 'agent', role: 'provider', source: provider, lifetimeMs: 3_600_000 });
    this.#clusterArgs = [
      `--cluster-inventory-address=${operator.grpc}`,
      `--cluster-inventory-token-file=${await file('inventory-token', await inventory.issue('admin'))}`,
      `--cluster-market-address=${this.#market?.grpc}`,
      `--cluster-market-token-file=${await file('market-token', agent)}`,
      ...tokens.args,
      ...terms,
    ];
    [this.#clusterTls, this.#clusterToken] = [tokens.tls, await tokens.issue('admin')];
    await this.startProvider();
  }

  async startMarket(): Promise<void> {
    this.#market = await startFastRole({ role: 'market', kubeconfig: this.#cluster.kubeconfig, times: 1, args: this.#marketArgs });
  }

  async killMarket(): Promise<void> {
    await this.#market?.kill();
  }

  async startProvider(): Promise<void> {
    this.#provider = await startFastRole({ role: 'cluster', kubeconfig: this.#cluster.kubeconfig, times: pace, args: this.#clusterArgs });
  }

  async killProvider(): Promise<void> {
    await this.#provider?.kill();
  }

  /** Whether those that are to go on do. */
  areAllRunning(): boolean {
    return this.#market?.hasEnded() === false && this.#provider?.hasEnded() === false;
  }

  tenant(account: string): RpcChannel {
    return this.#open(this.#tokens.issue({ name: account, role: 'tenant', groups: [account], lifetimeMs: 3_600_000 }));
  }

  /** Another provider. */
  rival(): ServiceClient<typeof ProviderMarket> {
    const token = this.#tokens.issue({ name: 'rival', role: 'provider', source: 'rival', lifetimeMs: 3_600_000 });
    return this.#open(token).client(ProviderMarket);
  }

  /** Why the provider does not know what the market says; empty when it does. */
  async problem(): Promise<string> {
    const channel = openRpcChannel({
      address: this.#provider?.grpc ?? '',
      tls: this.#clusterTls,
      token: () => this.#clusterToken,
      tries: 1,
    });
    return await channel
      .client(BidService)
      .getBidStatus({})
      .then(({ market }) => market?.problem?.message ?? '')
      .finally(() => channel.close());
  }

  async orders(): Promise<readonly TradedOrder[]> {
    return await this.#database.query<TradedOrder>(traded, [provider]);
  }

  async reservations() {
    return (await this.#cluster.client.list(reservationType)).items;
  }

  async stop(): Promise<void> {
    for (const end of this.#ends.splice(0).toReversed()) await end();
  }

  #open(token: Promise<string>): RpcChannel {
    const channel = openRpcChannel({ address: this.#market?.grpc ?? '', token: () => token, tries: 1, deadlineMs: 5_000 });
    this.#ends.push(() => channel.close());
    return channel;
  }
}
