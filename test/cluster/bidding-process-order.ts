import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { OrderId } from '@quartermaster/cluster';
import type { RecordedMarket } from '@quartermaster/cluster/testing';
import { messageOf } from '@quartermaster/kernel';

export interface MarketQuestion {
  readonly id: number;
  readonly method:
    | 'ready'
    | 'leads'
    | 'account'
    | 'orders'
    | 'bids'
    | 'leases'
    | 'lookUp'
    | 'createBid'
    | 'closeBid'
    | 'closeLease'
    | 'manifestOf'
    | 'report';
  readonly args: readonly unknown[];
}

export interface MarketAnswer {
  readonly id: number;
  readonly value?: unknown;
  readonly error?: string | undefined;
}

export type ToBidder =
  | { readonly do: 'die'; readonly step: string }
  | { readonly do: 'time-bids'; readonly ms: number }
  | { readonly do: 'wake' }
  | { readonly do: 'transfer'; readonly to: OrderId; readonly hostname: string; readonly service: string; readonly externalPort: number }
  | ({ readonly do: 'answer' } & MarketAnswer);

let started = 0;

export interface BiddingProcessOptions {
  readonly kubeconfig: string;
  readonly namespace: string;
  readonly market: RecordedMarket;
  /** Before a bid takes effect. */
  readonly beforeBid: (name: unknown) => Promise<void>;
  readonly bidTimeoutMs: number;
  /** It also runs what was won. */
  readonly hasLeases?: boolean | undefined;
}

/** A replica that bids, in a process of its own. It deals at a market of this process, which outlives it. */
export class BiddingProcess {
  /** The signal that ended it. */
  readonly ended: Promise<string | null>;
  /** Resolves when it has won the election. */
  readonly leads: Promise<void>;
  readonly #child: ChildProcess;
  readonly #options: BiddingProcessOptions;
  readonly #ready = Promise.withResolvers<void>();
  readonly #leads = Promise.withResolvers<void>();

  private constructor(child: ChildProcess, options: BiddingProcessOptions) {
    this.#child = child;
    this.#options = options;
    this.leads = this.#leads.promise;
    this.ended = once(child, 'exit').then(([, signal]: readonly (string | null)[]) => signal ?? null);
    child.on('message', (question: MarketQuestion) => void this.#answer(question));
    const ending = new AbortController();
    void this.ended.then(() => ending.abort());
    void options.market.watch(() => this.#send({ do: 'wake' }), ending.signal);
  }

  /** Resolves when it stands for election. */
  static async start(options: BiddingProcessOptions): Promise<BiddingProcess> {
    started += 1;
    const file = fileURLToPath(new URL('./bidding-process.ts', import.meta.url));
    const { kubeconfig, namespace, bidTimeoutMs, hasLeases = false } = options;
    const child = fork(file, [kubeconfig, namespace, `bidder-${started}`, String(bidTimeoutMs), ...(hasLeases ? ['leases'] : [])], {
      execArgv: [],
      serialization: 'advanced',
    });
    const made = new BiddingProcess(child, options);
    await made.#ready.promise;
    return made;
  }

  dieAt(step: string): void {
    this.#send({ do: 'die', step });
  }

  /** Of a hostname to a lease of the same owner. Whoever asks is told nothing: what becomes of it is looked at. */
  transfer(to: OrderId, wanted: { readonly hostname: string; readonly service: string; readonly externalPort: number }): void {
    this.#send({ do: 'transfer', to, ...wanted });
  }

  timeBids(ms: number): void {
    this.#send({ do: 'time-bids', ms });
  }

  async kill(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.ended;
  }

  async #answer({ id, method, args }: MarketQuestion): Promise<void> {
    if (method === 'ready') return this.#ready.resolve();
    if (method === 'leads') return this.#leads.resolve();
    try {
      if (method === 'createBid') await this.#options.beforeBid(args[0]);
      const call = this.#options.market[method] as (...all: readonly unknown[]) => Promise<unknown>;
      this.#send({ do: 'answer', id, value: await call.apply(this.#options.market, [...args]) });
    } catch (thrown) {
      this.#send({ do: 'answer', id, error: messageOf(thrown) });
    }
  }

  #send(message: ToBidder): void {
    if (this.#child.connected) this.#child.send(message, () => {});
  }
}
