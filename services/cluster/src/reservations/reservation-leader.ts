import { type Clock, type Log, type Random, StatusError } from '@quartermaster/kernel';
import type { CacheOpener, KubeClient } from '@quartermaster/kube';
import type { RoleLeadership, Term } from '@quartermaster/runtime/host';
import type { Decide } from '../book/decision.ts';
import { activation } from './activation.ts';
import { expiry } from './expiry.ts';
import { lateArrivals } from './late-arrivals.ts';
import { LeaseNamespaces } from './lease-namespaces.ts';
import type { OrderTurnsOptions } from './order-turns.ts';
import { type PlansToRenew, plansToRenew, renewPlans } from './renew-plans.ts';
import { type PlansInNeed, plansInNeed, replan, replanIntervalMs } from './replan.ts';
import { type ReservationBook, ReservationCache, watchReservations } from './reservation-cache.ts';
import { ReservationObjects } from './reservation-objects.ts';
import { ReservationWriter } from './reservation-writer.ts';
import type { Reserver } from './reserver.ts';
import { takeOver } from './take-over.ts';

export interface ReservationLeaderOptions {
  readonly client: Pick<KubeClient, 'find' | 'list' | 'pages'>;
  readonly caches: CacheOpener;
  readonly book: ReservationBook & PlansInNeed & PlansToRenew;
  readonly decide: Decide;
  /** How long a reservation may be pending, at most. */
  readonly lifetimeMs: number;
  readonly turns?: OrderTurnsOptions | undefined;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
}

/** What a term of the leader needs. */
type LedTerm = Pick<Term, 'leadership' | 'signal' | 'writer'>;

interface TermWork {
  readonly term: number;
  readonly objects: ReservationObjects;
  readonly reservations: ReservationWriter;
  readonly leadership: LedTerm['leadership'];
}

const defaultTurns: OrderTurnsOptions = { atOnce: 32, maxCalls: 1_000 };
/** Keys that each duty works on at the same time. */
const workers = 4;

/** Follows reservations on every replica, and writes them on the one that leads. */
export class ReservationLeader {
  readonly cache: ReservationCache;
  /** What the book decides, as long as all reservations are known. */
  readonly decide: Decide;
  readonly #options: ReservationLeaderOptions;
  readonly #namespaces: LeaseNamespaces;
  readonly #terms = new WeakMap<LedTerm, PromiseWithResolvers<TermWork>>();
  #reserver: Reserver | undefined;

  constructor(options: ReservationLeaderOptions) {
    const { client, caches, book } = options;
    this.#options = options;
    this.cache = new ReservationCache(watchReservations(caches), book);
    this.#namespaces = new LeaseNamespaces(client, caches);
    this.decide = (...question) => {
      const problem = this.cache.problem();
      return problem === undefined ? options.decide(...question) : { kind: 'refused', why: 'not-known', reasons: [problem] };
    };
  }

  /** While this replica leads, and has taken over. */
  get reserver(): Reserver | undefined {
    return this.#reserver;
  }

  /** Says what is done during each term. */
  lead(leadership: Pick<RoleLeadership, 'duty' | 'controller'>): void {
    const { book, clock } = this.#options;
    const { cache, decide } = this;
    const writerOf = (term: LedTerm) => async () => (await this.#workOf(term)).reservations;
    leadership.duty('reservations', (term) => this.run(term));
    leadership.controller({
      name: 'late-arrivals',
      sources: [cache.source],
      workers,
      reconciler: (term) => lateArrivals(book, writerOf(term)),
    });
    leadership.controller({
      name: 'expiry',
      sources: [cache.source],
      workers,
      reconciler: (term) => expiry(book, clock, this.#namespaces, writerOf(term)),
    });
    leadership.controller({
      name: 'activation',
      sources: [cache.source, this.#namespaces.source],
      workers,
      reconciler: (term) => activation({ book, namespaces: this.#namespaces, clock, writer: () => this.#workOf(term) }),
    });
    leadership.controller({
      name: 'replan',
      sources: [plansInNeed(book)],
      fullPassIntervalMs: replanIntervalMs,
      reconciler: (term) => replan({ book, cache, decide, clock, writer: () => this.#workOf(term) }),
    });
    leadership.controller({
      name: 'renew-plans',
      sources: [plansToRenew(book)],
      fullPassIntervalMs: replanIntervalMs,
      reconciler: (term) => renewPlans(book, () => this.#workOf(term)),
    });
  }

  /** One term, from taking over to its end. */
  async run(led: LedTerm): Promise<void> {
    const { client, book, clock, random, log, lifetimeMs, turns = defaultTurns } = this.#options;
    const { cache, decide } = this;
    const { leadership, signal, writer } = led;
    const work = this.#promised(led);
    try {
      const objects = new ReservationObjects(client, writer, cache, signal);
      const term = await takeOver({ reader: client, objects, cache, leadership, signal, clock, random, log });
      const namespaces = this.#namespaces;
      const context = { objects, cache, book, namespaces, clock, random, log };
      const reservations = new ReservationWriter({ term, signal, leadership, decide, lifetimeMs, turns, ...context });
      this.#reserver = reservations;
      work.resolve({ term, objects, reservations, leadership });
      await ended(signal);
    } finally {
      this.#reserver = undefined;
      work.reject(new StatusError('unavailable', 'this replica no longer leads'));
      cache.releaseAll();
    }
  }

  async stop(): Promise<void> {
    await Promise.all([this.cache.stop(), this.#namespaces.stop()]);
  }

  #workOf(term: LedTerm): Promise<TermWork> {
    return this.#promised(term).promise;
  }

  #promised(term: LedTerm): PromiseWithResolvers<TermWork> {
    let promised = this.#terms.get(term);
    if (promised === undefined) {
      promised = Promise.withResolvers<TermWork>();
      // Whoever waits for it hears of it; often nobody does.
      promised.promise.catch(() => undefined);
      this.#terms.set(term, promised);
    }
    return promised;
  }
}

function ended(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
