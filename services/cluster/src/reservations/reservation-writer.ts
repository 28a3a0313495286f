import { type Clock, defineSteps, type Log, type Random, StatusError } from '@quartermaster/kernel';
import { isFailure, type Leadership } from '@quartermaster/kube';
import type { Decide } from '../book/decision.ts';
import type { OrderId } from '../model/order.ts';
import type { LeaseNamespace, Reservation } from '../model/reservation.ts';
import type { LeaseNamespaces } from './lease-namespaces.ts';
import { orderName } from './order-name.ts';
import { OrderTurns, type OrderTurnsOptions } from './order-turns.ts';
import type { ReservationBook, ReservationCache } from './reservation-cache.ts';
import { isSameAttempt } from './reservation-object.ts';
import { hasMovedOn, isFateUnknown, madeForBid, type ReservationObjects, vanished } from './reservation-objects.ts';
import { reserveAnswer } from './reserve-answer.ts';
import type { Reserved, ReserveOrder, Reserver } from './reserver.ts';
import { UnsettledFates } from './unsettled-fates.ts';

export interface ReservationWriterOptions {
  readonly term: number;
  readonly signal: AbortSignal;
  readonly leadership: Pick<Leadership, 'verify'>;
  readonly objects: ReservationObjects;
  readonly cache: ReservationCache;
  readonly book: ReservationBook;
  readonly namespaces: Pick<LeaseNamespaces, 'leaseOf'>;
  readonly decide: Decide;
  /** How long a reservation may be pending, at most. */
  readonly lifetimeMs: number;
  readonly turns: OrderTurnsOptions;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
}

const reserving = defineSteps('reserve', ['held', 'created']);
const confirming = defineSteps('confirm', ['decided', 'confirmed']);
/** Somebody who writes the same object again and again is not outrun. */
const maxTries = 5;

/** The reserver of one term. */
export class ReservationWriter implements Reserver {
  readonly #options: ReservationWriterOptions;
  readonly #objects: ReservationObjects;
  readonly #cache: ReservationCache;
  readonly #book: ReservationBook;
  readonly #turns: OrderTurns;
  readonly #unsettled: UnsettledFates;

  constructor(options: ReservationWriterOptions) {
    this.#options = options;
    this.#objects = options.objects;
    this.#cache = options.cache;
    this.#book = options.book;
    this.#turns = new OrderTurns(options.turns);
    this.#unsettled = new UnsettledFates(options);
  }

  async reserve(asked: ReserveOrder, signal?: AbortSignal): Promise<Reserved> {
    const name = orderName(asked.order);
    return await this.#call(name, () => this.#reserve(name, asked), signal);
  }

  async unreserve(order: OrderId, uid?: string, signal?: AbortSignal): Promise<Reservation | undefined> {
    const name = orderName(order);
    return await this.#call(
      name,
      async () => {
        await this.#leads();
        const asked = uid ?? this.#book.reservation(name)?.uid;
        return await this.#persistently(async () => {
          const standing = this.#book.reservation(name);
          if (standing === undefined || standing.uid !== asked) return undefined;
          if (standing.bid !== undefined && uid === undefined) throw madeForBid(name);
          await this.delete(standing);
          return standing;
        });
      },
      signal,
    );
  }

  async activate(order: OrderId, namespace?: LeaseNamespace, signal?: AbortSignal): Promise<Reservation> {
    const name = orderName(order);
    return await this.#call(name, () => this.#leads().then(() => this.record(name, namespace)), signal);
  }

  /** Whether a call for it is being worked on, or its fate is being found out: what there is of it is not for others to judge. */
  isBusy(name: string): boolean {
    return this.#turns.isBusy(name) || this.#unsettled.has(name);
  }

  /** What a duty of the leader does to one reservation, while no call does. Does nothing while its fate is unknown, or when there is none. */
  async attend(name: string, work: (standing: Reservation) => Promise<void>): Promise<void> {
    await this.#turns.run(name, async () => {
      const standing = this.#unsettled.has(name) ? undefined : this.#book.reservation(name);
      if (standing !== undefined) await work(standing);
    });
  }

  /** Throws `aborted` when it is not in that state any more; the book then has the newer one. */
  async delete(standing: Reservation): Promise<void> {
    await this.write(standing, () => this.#objects.delete(standing));
  }

  /**
   * Makes a change to one state of what stands. When its fate is unknown, the caller is told so, and it is made again until it is known: after that the object is in another
   * state, so that what may still be on its way cannot take effect later.
   */
  async write<T>(standing: Reservation, change: () => Promise<T>): Promise<T> {
    try {
      return await change();
    } catch (thrown) {
      const isOver = this.#hasEnded(thrown);
      if (!isOver && isFateUnknown(thrown)) throw this.#unsettled.add(standing.name, thrown, () => this.#makeAgain(standing, change));
      this.#cache.release(standing.name);
      if (isOver) throw noLongerLeads(thrown);
      if (!hasMovedOn(thrown)) throw thrown;
      await this.#objects.learn(standing);
      throw new StatusError('aborted', `Reservation ${standing.name} changed meanwhile: ask again`, { cause: thrown });
    }
  }

  async #makeAgain(standing: Reservation, change: () => Promise<unknown>): Promise<void> {
    try {
      await change();
    } catch (thrown) {
      if (!hasMovedOn(thrown)) throw thrown;
      await this.#objects.learn(standing);
    }
  }

  #hasEnded(thrown: unknown): boolean {
    return this.#options.signal.aborted || isFailure(thrown, 'lease-lost');
  }

  async #call<T>(name: string, work: () => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
    this.#unsettled.refuse(name);
    return await this.#turns.call(
      name,
      async () => {
        this.#unsettled.refuse(name);
        if (this.#options.signal.aborted) throw noLongerLeads(this.#options.signal.reason);
        return await work().catch((thrown: unknown) => {
          throw isFailure(thrown, 'lease-lost') ? noLongerLeads(thrown) : thrown;
        });
      },
      signal,
    );
  }

  /** Before whatever is answered from what is known here: whoever lost the lease does not know what was promised and given back since. */
  async #leads(): Promise<void> {
    await this.#options.leadership.verify();
  }

  async #reserve(name: string, asked: ReserveOrder): Promise<Reserved> {
    if (this.#book.reservation(name) !== undefined) await this.#leads();
    for (let standing = this.#book.reservation(name); standing !== undefined; standing = this.#book.reservation(name)) {
      const isOver = standing.phase === 'pending' && (standing.expiresAt ?? Number.POSITIVE_INFINITY) <= this.#options.clock.now();
      if (standing.isConfirmed && !isOver) return reserveAnswer(standing, asked);
      const lease = standing.isConfirmed ? await this.#leaseOf(standing) : undefined;
      if (lease !== undefined) {
        await this.record(name, lease);
        continue;
      }
      // Its time is over, or it is an attempt of a former leader or of ours that could not be confirmed: nobody relies on it.
      await this.delete(standing);
    }
    // From here to the hold nothing may be awaited: nobody else can decide on the same room.
    const decision = this.#options.decide(asked.request, asked.owner);
    if (decision.kind === 'refused') {
      // That too little is known now is so, whoever leads.
      if (decision.why !== 'not-known') await this.#leads();
      return decision;
    }
    const { term, clock, lifetimeMs } = this.#options;
    const now = clock.now();
    const attempt: Reservation = {
      name,
      uid: '',
      resourceVersion: '',
      order: asked.order,
      owner: asked.owner,
      request: asked.request,
      plan: decision.plan,
      phase: 'pending',
      isConfirmed: false,
      createdAt: now,
      ...(asked.bid === undefined ? { expiresAt: now + Math.min(asked.lifetimeMs ?? lifetimeMs, lifetimeMs) } : { bid: asked.bid }),
      term,
    };
    this.#cache.hold(attempt);
    return reserveAnswer(await this.#make(attempt), asked);
  }

  async #leaseOf({ name, order }: Reservation): Promise<LeaseNamespace | undefined> {
    const { namespaces, signal } = this.#options;
    const message = `whether there is a lease of reservation ${name} is not known now: ask again in a moment`;
    const lease = await namespaces.leaseOf(order, signal).catch((cause: unknown) => {
      throw new StatusError('unavailable', message, { cause });
    });
    if (lease === 'ambiguous') throw new StatusError('unavailable', message);
    return lease;
  }

  async #make(attempt: Reservation): Promise<Reservation> {
    const { name } = attempt;
    try {
      await reserving.reached('held');
      const made = await this.#create(attempt);
      await reserving.reached('created');
      return made.isConfirmed ? made : await this.#confirm(made, attempt);
    } catch (thrown) {
      const isOver = this.#hasEnded(thrown);
      if (!isOver && isFateUnknown(thrown)) throw this.#unsettled.add(name, thrown, () => this.#settle(attempt));
      this.#cache.release(name);
      throw isOver ? noLongerLeads(thrown) : thrown;
    }
  }

  /** What has the name then: made by this attempt, or promised before by somebody whom the watch has not shown yet. */
  async #create(attempt: Reservation): Promise<Reservation> {
    const { name } = attempt;
    for (let tries = 0; tries < maxTries; tries += 1) {
      try {
        return await this.#objects.create(attempt);
      } catch (thrown) {
        if (!isFailure(thrown, 'already-exists')) throw thrown;
      }
      const found = await this.#objects.look(name);
      if (found === undefined) continue;
      const { reservation } = found;
      if (reservation.isConfirmed || isSameAttempt(reservation, attempt)) return found.take();
      await this.#objects.delete(reservation).catch((thrown: unknown) => {
        if (!hasMovedOn(thrown)) throw thrown;
      });
    }
    throw new StatusError('aborted', `somebody else makes and deletes Reservation ${name} all the time: ask again`);
  }

  async #confirm(made: Reservation, attempt: Reservation): Promise<Reservation> {
    let state = made;
    for (let tries = 0; tries < maxTries; tries += 1) {
      try {
        // Made too late, it is in no list of the next leader: then it is nobody's promise.
        await this.#leads();
        await confirming.reached('decided');
        const confirmed = await this.#objects.setStatus(state, { confirmed: true, phase: 'Pending' });
        await confirming.reached('confirmed');
        return confirmed;
      } catch (thrown) {
        if (!hasMovedOn(thrown)) throw thrown;
      }
      const found = await this.#objects.learn(made);
      if (found?.uid !== made.uid || !isSameAttempt(found, attempt)) throw vanished(made.name);
      if (found.isConfirmed) return found;
      state = found;
    }
    throw new StatusError('aborted', `somebody else changes Reservation ${made.name} all the time: ask again`);
  }

  /** Whoever asked was told to ask again: it finds a promise, or nothing. */
  async #settle(attempt: Reservation): Promise<void> {
    const { name } = attempt;
    const found = await this.#objects.look(name);
    const known = this.#book.reservation(name)?.uid ?? '';
    if (known !== '' && found?.reservation.uid !== known) this.#cache.removed(name, known);
    if (found === undefined || !isSameAttempt(found.reservation, attempt)) return this.#cache.release(name);
    const state = found.take();
    if (state.isConfirmed) return;
    await this.#confirm(state, attempt).catch((thrown: unknown) => {
      // What cannot be confirmed is deleted as any other attempt that nobody works on.
      if (isFateUnknown(thrown)) throw thrown;
    });
  }

  /** There is a lease, with or without a namespace yet. For a duty in its turn. */
  async record(name: string, namespace?: LeaseNamespace): Promise<Reservation> {
    return await this.#persistently(async () => {
      const standing = this.#book.reservation(name);
      if (standing === undefined) throw new StatusError('not_found', `there is no reservation ${name}: reserve before there is a lease`);
      if (!standing.isConfirmed) throw new StatusError('failed_precondition', `reservation ${name} is not promised yet: ask again`);
      if (standing.phase === 'active' && (namespace === undefined || standing.leaseNamespace?.uid === namespace.uid)) return standing;
      const leaseNamespace = namespace && { name: namespace.name, uid: namespace.uid };
      return await this.write(standing, () => this.#objects.setStatus(standing, { phase: 'Active', leaseNamespace }));
    });
  }

  /** Again with what stands by then, where it changed meanwhile. */
  async #persistently<T>(work: () => Promise<T>): Promise<T> {
    for (let tries = 1; ; tries += 1) {
      try {
        return await work();
      } catch (thrown) {
        if (!(thrown instanceof StatusError) || thrown.code !== 'aborted' || tries >= maxTries) throw thrown;
      }
    }
  }
}

const noLongerLeads = (cause: unknown): StatusError =>
  new StatusError('unavailable', 'this replica no longer leads: ask again, and the next leader answers', { cause });
