import { ReservationLeader, type Reserver } from '@quartermaster/cluster';
import { Gi, node, one, SmallBook } from '@quartermaster/cluster/testing/replica';
import { Controller } from '@quartermaster/controller';
import { type Clock, type Log, silentLog, systemClock, systemRandom } from '@quartermaster/kernel';
import {
  type CacheOpener,
  cacheOpener,
  FencedWriter,
  type KubeClient,
  type KubeReader,
  type KubeWriter,
  LeaderElection,
  type Leadership,
} from '@quartermaster/kube';
import type { LedController, RoleLeadership, Term } from '@quartermaster/runtime/host';

type ReservationLeaderOptions = ConstructorParameters<typeof ReservationLeader>[0];
type LedTerm = Pick<Term, 'leadership' | 'signal' | 'writer'>;

export interface ReplicaOptions {
  readonly client: KubeClient;
  /** Of the lease. */
  readonly namespace: string;
  readonly identity: string;
  /** Nodes with room for ten of `order` each. */
  readonly nodes?: readonly string[] | undefined;
  /** Counts instead of the small book over these nodes. */
  readonly counted?: Pick<ReservationLeaderOptions, 'book' | 'decide'> | undefined;
  readonly clock?: Clock | undefined;
  readonly log?: Log | undefined;
  readonly lifetimeMs?: number | undefined;
  /** How long nobody leads after a leader that does not come back: whole seconds. */
  readonly leaseMs?: number | undefined;
  readonly turns?: { readonly atOnce: number; readonly maxCalls: number } | undefined;
  /** What writes go through, before the lease is asked. */
  readonly through?: ((client: KubeClient) => KubeReader & KubeWriter) | undefined;
  /** What is followed, instead of what there is. */
  readonly following?: ((caches: CacheOpener) => CacheOpener) | undefined;
  /** Whether it does what a leader does without being asked. */
  readonly hasDuties?: boolean | undefined;
  readonly leadershipOf?: ((leadership: Leadership) => Leadership) | undefined;
  /** What its leader does besides. */
  readonly alsoLeads?:
    | ((leadership: Pick<RoleLeadership, 'duty' | 'controller'>, replica: ReservingReplica, caches: CacheOpener) => void)
    | undefined;
}

export const perNode = 10;
export const nodeOf = (name: string) => node(name, { cpuMillis: perNode * 1_000, memoryBytes: 1_000 * Gi });
/** A tenth of a node. */
export const tenth = one();
export const half = one({ cpuMillis: (perNode * 1_000) / 2 });

/** What a replica of the service does with reservations, elected as one is, over a stock of its own. */
export class ReservingReplica {
  readonly book: SmallBook;
  readonly reservations: ReservationLeader;
  readonly #ending = new AbortController();
  readonly #running: Promise<void>;
  readonly #duties: ((term: LedTerm) => Promise<void>)[] = [];

  constructor(options: ReplicaOptions) {
    const { client, namespace, identity, nodes = ['n1'], clock = systemClock, log = silentLog, lifetimeMs = 60_000, turns } = options;
    const { leaseMs = 15_000, through = (same) => same, following = (same) => same } = options;
    const { hasDuties = true, leadershipOf = (same) => same } = options;
    this.book = new SmallBook(nodes.map(nodeOf));
    const context = { clock, random: systemRandom, log };
    this.reservations = new ReservationLeader({
      client,
      caches: following(cacheOpener(client, context)),
      ...(options.counted ?? { book: this.book, decide: this.book.decide }),
      lifetimeMs,
      turns,
      ...context,
    });
    const leading: Pick<RoleLeadership, 'duty' | 'controller'> = {
      duty: (_name, run) => this.#duties.push((term) => run(term as Term)),
      controller: (led) => hasDuties && this.#duties.push((term) => control(led, term, context)),
    };
    this.reservations.lead(leading);
    options.alsoLeads?.(leading, this, cacheOpener(client, context));
    const timing = { leaseDurationMs: leaseMs, renewDeadlineMs: leaseMs * 0.7, retryIntervalMs: 50 };
    const election = new LeaderElection({ client, namespace, name: 'cluster', identity, ...timing });
    this.#running = election.run((real) => {
      const leadership = leadershipOf(real);
      return this.#lead({ leadership, signal: leadership.signal, writer: new FencedWriter(through(client), leadership) });
    }, this.#ending.signal);
  }

  /** Undefined while it does not lead. */
  get reserver(): Reserver | undefined {
    return this.reservations.reserver;
  }

  async stop(): Promise<void> {
    this.#ending.abort();
    await this.#running;
    await this.reservations.stop();
  }

  async #lead(term: LedTerm): Promise<void> {
    await Promise.all(
      this.#duties.map((duty) =>
        duty(term).catch((thrown: unknown) => {
          if (!term.signal.aborted) throw thrown;
        }),
      ),
    );
  }
}

async function control(
  { name: _, reconciler, ...options }: LedController,
  term: LedTerm,
  context: { clock: Clock; log: Log },
): Promise<void> {
  await new Controller({ ...options, ...context, reconciler: reconciler(term as Term) }).run(term.signal);
}
