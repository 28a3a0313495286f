import { fileURLToPath } from 'node:url';
import { Child } from '../inventory/child.ts';
import { type RealControlPlane, startControlPlane, stopProcesses } from '../real-control-plane.ts';
import type { ClusterReady } from '../simulator/cluster.ts';
import type { Bidding, MarketReady, MarketRequest, ProviderRequest } from './protocol.ts';

const scenario = fileURLToPath(new URL('../simulator/hundred-nodes.yaml', import.meta.url));

export interface SideOptions {
  readonly databaseUrl: string;
  /** Orders that its bid engine works on at the same time. */
  readonly ordersAtOnce: number;
  /** Whether the cluster is on the real API server. */
  readonly isReal: boolean;
  /** Of Node, for the market and the provider. */
  readonly flags: readonly string[];
}

/** A market, a cluster of one hundred nodes and a provider, each in a process of its own. They stay for all rounds, and nothing of one round is left in the next. */
export class Side {
  readonly #market: Child;
  readonly #provider: Child;
  readonly #others: readonly Child[];
  readonly #controlPlane: RealControlPlane | undefined;

  private constructor(market: Child, provider: Child, others: readonly Child[], controlPlane: RealControlPlane | undefined) {
    this.#market = market;
    this.#provider = provider;
    this.#others = others;
    this.#controlPlane = controlPlane;
  }

  static async start({ databaseUrl, ordersAtOnce, isReal, flags }: SideOptions): Promise<Side> {
    const controlPlane = isReal ? await startControlPlane({ etcdArgs: ['--unsafe-no-fsync=false'] }) : undefined;
    const cluster = new Child('../simulator/cluster.ts', controlPlane === undefined ? [scenario] : [scenario, controlPlane.kubeconfig]);
    const market = new Child('../bids/market.ts', [databaseUrl], flags);
    const [{ kubeconfig }, { address, token }] = await Promise.all([cluster.next<ClusterReady>(), market.next<MarketReady>()]);
    const provider = new Child('../bids/provider.ts', [kubeconfig, address, token, String(ordersAtOnce)], flags);
    await provider.next();
    return new Side(market, provider, [cluster], controlPlane);
  }

  /** From an idle market and provider to idle ones. */
  async round(orders: number): Promise<Bidding> {
    this.#market.send({ kind: 'trade', orders } satisfies MarketRequest);
    const bidding = await this.#market.next<Bidding>();
    this.#market.send({ kind: 'close' } satisfies MarketRequest);
    await this.#market.next();
    this.#provider.send({ kind: 'rest' } satisfies ProviderRequest);
    await this.#provider.next();
    return bidding;
  }

  async stop(): Promise<void> {
    for (const child of [this.#provider, this.#market, ...this.#others]) await child[Symbol.asyncDispose]();
    if (this.#controlPlane !== undefined) await stopProcesses([this.#controlPlane.process]);
  }
}
