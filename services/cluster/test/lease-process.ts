import { Controller, type Source, type SourceListener } from '@quartermaster/controller';
import { type Clock, type Log, StatusError, silentLog, systemRandom } from '@quartermaster/kernel';
import { type Cache, type CacheOpener, cacheOpener, type KubeClient } from '@quartermaster/kube';
import type { LedController, Term } from '@quartermaster/runtime/host';
import type { LeaseActions } from '../src/leases/lease-action-types.ts';
import type { RecordedMarket } from '../src/market/recorded-market.ts';
import type { Reservation } from '../src/model/reservation.ts';
import { orderName } from '../src/reservations/order-name.ts';
import type { Reserver } from '../src/reservations/reserver.ts';
import { startLeaseHost } from './lease-host.ts';
import { MortalWriter } from './lease-writer.ts';

export interface LeaseProcessOptions {
  readonly client: KubeClient;
  readonly market: RecordedMarket;
  /** They outlive it. */
  readonly reservations: Map<string, Reservation>;
  /** By which it waits, not by which it follows the server. */
  readonly clock: Clock;
  readonly log?: Log | undefined;
}

const retries = { firstMs: 10, maxMs: 200, factor: 2 };

/** The leader of leases, as a process that can be killed at any of its writes: with caches of its own, and nothing that outlives it but objects and reservations. */
export class LeaseProcess {
  readonly writer: MortalWriter;
  readonly #ending = new AbortController();
  readonly #caches: Pick<Cache<unknown>, 'stop' | 'whenSynced'>[] = [];
  readonly #controllers: Controller[] = [];
  #actions: () => LeaseActions | undefined = () => undefined;

  private constructor({ client }: LeaseProcessOptions) {
    this.writer = new MortalWriter(client, () => this.#end());
  }

  static async start(options: LeaseProcessOptions): Promise<LeaseProcess> {
    const made = new LeaseProcess(options);
    await made.#start(options);
    return made;
  }

  get actions(): LeaseActions {
    const actions = this.#actions();
    if (actions === undefined) throw new StatusError('unavailable', 'the process does not lead yet');
    return actions;
  }

  /** What is worked on, or is to be tried again soon; empty once nothing is left to be done. */
  get unrest(): readonly string[] {
    return this.#controllers.flatMap((each) => {
      const { synced, queue, errors } = each.status();
      if (!synced) return ['not everything was read'];
      const isBusy = queue.depth + queue.inFlight > 0;
      return [...(isBusy ? ['something is worked on'] : []), ...errors.map(({ key, message }) => `${key}: ${message}`)];
    });
  }

  async stop(): Promise<void> {
    this.#end();
    await Promise.all(this.#caches.map((cache) => cache.stop()));
  }

  #end(): void {
    this.#ending.abort();
    for (const cache of this.#caches) void cache.stop();
  }

  async #start({ client, market, reservations, clock, log = silentLog }: LeaseProcessOptions): Promise<void> {
    const { signal } = this.#ending;
    const context = { clock, log, random: systemRandom };
    const opener = cacheOpener(client);
    const caches: CacheOpener = {
      open: (options) => {
        const cache = opener.open(options);
        this.#caches.push(cache);
        return cache;
      },
    };
    const term = { writer: this.writer, signal } as unknown as Term;
    const reserved = toldNames();
    const activate: Reserver['activate'] = (order, leaseNamespace) =>
      this.writer.send(`activate ${orderName(order)}`, async () => {
        const standing = reservations.get(orderName(order));
        if (standing === undefined) throw new StatusError('not_found', 'there is no reservation');
        const active: Reservation = { ...standing, phase: 'active', leaseNamespace };
        reservations.set(active.name, active);
        reserved.tell(active.name);
        return active;
      });
    const offered = toldNames();
    void market.watch(() => {
      for (const name of market.known.keys()) offered.tell(name);
    }, signal);
    const { leases } = await startLeaseHost({
      ...{ client, caches, market, clock, log },
      leadership: {
        duty: (_name, run) => void run(term).catch((thrown: unknown) => log.warn('a duty has ended', { error: String(thrown) })),
        controller: ({ name: _, reconciler, ...options }: LedController) => {
          const controller = new Controller({ ...options, ...context, backoff: retries, reconciler: reconciler(term) });
          this.#controllers.push(controller);
          void controller.run(signal);
        },
      },
      view: {
        of: (name) => {
          const known = market.known.get(name);
          return { state: known?.state ?? 'unknown', order: known?.order, bid: known?.bid, lease: known?.lease, isAsked: true };
        },
        ask: async () => {},
        answered: () => {},
        problem: undefined,
        status: () => ({ readAt: clock.now(), problem: undefined, openOrders: 0, openBids: 0, leases: market.known.size, unreadable: 0 }),
        source: offered.source,
      },
      book: { reservation: (name) => reservations.get(name), reservations: () => [...reservations.values()] },
      reservations: { reserver: { activate } as Reserver, cache: { source: reserved.source } },
    });
    this.#actions = leases.actions;
    await Promise.all(this.#caches.map((cache) => cache.whenSynced(signal)));
  }
}

/** Names that somebody tells of. */
function toldNames(): { readonly source: Source; readonly tell: (name: string) => void } {
  const names = new Set<string>();
  const listeners = new Set<SourceListener>();
  const visitAll = (listener: SourceListener): void => {
    for (const name of names) listener.key(name);
  };
  return {
    tell: (name) => {
      names.add(name);
      for (const listener of listeners) listener.key(name);
    },
    source: {
      isSynced: () => true,
      whenSynced: async () => {},
      subscribe: (listener) => {
        listeners.add(listener);
        visitAll(listener);
        return () => listeners.delete(listener);
      },
      visitAll,
    },
  };
}
