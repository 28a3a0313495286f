import { again, done, type Outcome, type Reconciler } from '@quartermaster/controller';
import { type Clock, defineSteps, type Log, pause, StatusError } from '@quartermaster/kernel';
import type { Market, MarketOutcome } from '../market/market.ts';
import type { LeaseStand } from '../model/lease-stand.ts';
import type { OrderId } from '../model/order.ts';
import type { Reservation } from '../model/reservation.ts';
import type { Plan } from '../placement/plan.ts';
import type { CardGroup, Reason } from '../placement/stock-facts.ts';
import type { ReservationBook } from '../reservations/reservation-cache.ts';
import type { Reserver } from '../reservations/reserver.ts';
import { type BidDecision, type DecisionFacts, decisionAfter } from './bid-decision.ts';
import { type ConsiderOptions, consider, reserveFor } from './consider.ts';
import { within } from './deadline.ts';
import type { MarketView } from './market-view.ts';
import { nextStep, type SeenOrder, type Step } from './next-step.ts';
import type { Quote } from './pricing.ts';
import { Reconsiderations } from './reconsiderations.ts';

/** Where decisions are recorded. It never throws: a record that cannot be written is told of there, and holds nobody up. */
export interface DecisionRecords {
  of(name: string): BidDecision | undefined;
  put(decision: BidDecision): Promise<void>;
}

export interface BidEngineOptions extends ConsiderOptions {
  readonly market: Market;
  readonly view: MarketView;
  readonly book: Pick<ReservationBook, 'reservation'>;
  /** Undefined until this replica has taken over. */
  readonly reserver: () => Reserver | undefined;
  readonly records: DecisionRecords;
  /** How the lease of an order stands, where this provider runs leases. */
  readonly leaseStand?: ((name: string) => LeaseStand) | undefined;
  readonly bidTimeoutMs: number;
  /** Orders that are considered at a time while prices come slowly: fewer than there are workers, who are left to what was bid. */
  readonly considersAtOnce: number;
  /** Of each call of the market. */
  readonly deadlineMs: number;
  /** A lease was won, or is over. */
  readonly announce?: ((what: 'won' | 'closed', order: OrderId) => void) | undefined;
  /** A record says something else than before. */
  readonly onDecision?: ((after: BidDecision, before: BidDecision | undefined) => void) | undefined;
  readonly clock: Clock;
  readonly log: Log;
}

const bidding = defineSteps('bid', ['reserved', 'sent', 'recorded']);
const winning = defineSteps('win', ['seen', 'activated']);
const ending = defineSteps('end', ['closing', 'closed', 'releasing', 'released']);

const untilLedMs = 200;
const untilRoomMs = 5_000;
/** Whoever considers an order for longer waits for its price. */
const slowMs = 1_000;
const untilTurnMs = 5_000;
/** Beyond that it is no clock that is wrong, but a reservation that stood already. */
const maxAheadMs = 3_600_000;
/** Steps of one order at a time: it takes fewer, unless two of them undo each other. */
const maxSteps = 12;

/** Takes each order on its way: reads what is so, does the next step, and looks again, until there is nothing to do. Of one term. */
export class BidEngine implements Reconciler {
  readonly name = 'bids';
  readonly #options: BidEngineOptions;
  readonly #reconsidered: Reconsiderations;
  readonly #considering = new Map<string, number>(); // order -> since when, by the monotonic clock; the oldest first
  readonly #refused = new Map<string, Reason>(); // order -> why the market refused the bid
  readonly #quotes = new Map<string, Quote>(); // order that is reserved -> what its price is made of
  readonly #roomless = new Map<string, number>(); // order of a lease without reservation -> since when there is no room, by the monotonic clock
  /** By which our clock is ahead of the API server's, which tells when something was reserved: as the last reservation had it. */
  #aheadMs = 0;

  constructor(options: BidEngineOptions) {
    this.#options = options;
    this.#reconsidered = new Reconsiderations(options.clock);
  }

  async reconcile(name: string, signal: AbortSignal): Promise<Outcome> {
    const { view, book, records, bidTimeoutMs, clock } = this.#options;
    for (let steps = 0; steps < maxSteps; steps += 1) {
      const led = await this.#led(signal);
      if (led === undefined) return done;
      const seen = view.of(name);
      const [reservation, decision, refused] = [book.reservation(name), records.of(name), this.#refused.get(name)];
      const stand = this.#options.leaseStand?.(name);
      const known = { seen, reservation, decision, refused, runs: stand?.mayRun, lasts: stand?.lasts };
      const step = nextStep({ ...known, now: clock.now() - this.#aheadMs, bidTimeoutMs });
      const order = orderOf(seen) ?? reservation?.order ?? decision?.order;
      if (order === undefined) return this.#forget(name);
      const outcome = await this.#do(step, { name, order, seen, reservation, reserver: led }, signal);
      if (outcome !== undefined) return outcome;
    }
    throw new StatusError('internal', `order ${name} comes to no rest within ${maxSteps} steps`);
  }

  /** Nothing can be done before there is one; a worker that waits is cheaper than all orders by turns. Undefined once the signal aborts. */
  async #led(signal: AbortSignal): Promise<Reserver | undefined> {
    const { reserver, clock } = this.#options;
    while (reserver() === undefined && !signal.aborted) await pause(clock, untilLedMs, signal);
    return reserver();
  }

  /** Undefined where something was done that the next look takes into account. */
  async #do(step: Step, at: Place, signal: AbortSignal): Promise<Outcome | undefined> {
    const { view } = this.#options;
    switch (step.kind) {
      case 'rest':
        if (step.says !== undefined) await this.#say(at, step.says);
        if (at.reservation === undefined) this.#forget(at.name);
        return step.forMs === undefined ? done : again(step.forMs);
      case 'look-up':
        await view.ask(at.order, signal);
        return undefined;
      case 'consider':
        return await this.#consider(step, at, signal);
      case 'reserve':
        return await this.#reserveAnew(step, at, signal);
      case 'bid':
        await bidding.reached('reserved');
        return await this.#bid(step, at, signal);
      case 'activate': {
        await winning.reached('seen');
        await at.reserver.activate(at.order, undefined, signal);
        await winning.reached('activated');
        this.#options.announce?.('won', at.order);
        return undefined;
      }
      case 'close-bid':
        return await this.#closeBid(step.reason, at, signal);
      case 'release':
        await ending.reached('releasing');
        await at.reserver.unreserve(at.order, step.uid, signal);
        await ending.reached('released');
        if (at.seen.lease !== undefined) this.#options.announce?.('closed', at.order);
        return undefined;
    }
  }

  async #consider({ order }: Extract<Step, { kind: 'consider' }>, at: Place, signal: AbortSignal): Promise<Outcome | undefined> {
    const { view, clock } = this.#options;
    // Nothing new is begun by what the market may not say any more.
    if (view.problem !== undefined) return done;
    const waitMs = this.#reconsidered.dueInMs(at.name);
    if (waitMs > 0) return again(waitMs);
    if (this.#isCrowded()) return again(untilTurnMs);
    this.#considering.set(at.name, clock.monotonic());
    const considered = await consider(this.#options, at.reserver, order, signal).finally(() => this.#considering.delete(at.name));
    if (considered.kind === 'declined') {
      await this.#say(at, { phase: 'Declined', reasons: considered.reasons });
      return again(this.#reconsidered.declined(at.name));
    }
    this.#reconsidered.forget(at.name);
    this.#quotes.set(at.name, considered.quote);
    const aheadMs = clock.now() - considered.reservation.createdAt;
    if (Math.abs(aheadMs) < maxAheadMs) this.#aheadMs = aheadMs;
    return undefined;
  }

  #isCrowded(): boolean {
    const { clock, considersAtOnce } = this.#options;
    const [oldest = clock.monotonic()] = this.#considering.values();
    return this.#considering.size >= considersAtOnce && clock.monotonic() - oldest > slowMs;
  }

  async #bid({ price }: Extract<Step, { kind: 'bid' }>, at: Place, signal: AbortSignal): Promise<Outcome | undefined> {
    const { market, view } = this.#options;
    const plan = at.reservation?.plan;
    const offer = { price, cards: plan === undefined ? new Map<number, readonly CardGroup[]>() : cardsOf(plan) };
    const outcome = await this.#call(signal, (limited) => market.createBid(at.order, offer, limited));
    await bidding.reached('sent');
    if (outcome.kind === 'unknown') throw await this.#unknown(at, outcome.reason);
    if (outcome.kind === 'done') {
      view.answered(at.order, { bid: outcome.value });
      if (outcome.value.state === 'open') await this.#say(at, { phase: 'Bid', reasons: [] });
      await bidding.reached('recorded');
      return undefined;
    }
    // There may be a bid already, or an order that is open no more: the market says which.
    await view.ask(at.order, signal);
    this.#refused.set(at.name, { code: 'BidRefused', message: `the market refused the bid: ${outcome.reason.message}` });
    return undefined;
  }

  async #closeBid(reason: Reason, at: Place, signal: AbortSignal): Promise<Outcome | undefined> {
    const { market, view } = this.#options;
    await ending.reached('closing');
    const outcome = await this.#call(signal, (limited) => market.closeBid(at.order, reason.message.slice(0, 256), limited));
    await ending.reached('closed');
    if (outcome.kind === 'unknown') throw await this.#unknown(at, outcome.reason);
    if (outcome.kind === 'done') {
      view.answered(at.order, outcome.value === undefined ? { withdrawn: reason } : { bid: outcome.value });
      return undefined;
    }
    await view.ask(at.order, signal);
    if (view.of(at.name).lease !== undefined) return undefined;
    await this.#say(at, { reasons: [{ code: 'CloseRefused', message: `the market refused to close the bid: ${outcome.reason.message}` }] });
    throw new StatusError('unavailable', `the bid on ${at.name} cannot be closed: ${outcome.reason.message}`);
  }

  /** What was bid or leased must be there. Only when it is certain that there is no room, the bid ends, and the lease when that goes on. */
  async #reserveAnew(step: Extract<Step, { kind: 'reserve' }>, at: Place, signal: AbortSignal): Promise<Outcome | undefined> {
    const { decide, market, view, bidTimeoutMs, leaseStand } = this.#options;
    const { order, price, orElse } = step;
    const fit = order.malformed === undefined ? decide(order.request, at.order.owner) : undefined;
    if (fit?.kind === 'plan') {
      const reserved = await reserveFor(at.reserver, order, { price, parts: new Map() }, signal);
      if (reserved.kind === 'reserved') {
        this.#roomless.delete(at.name);
        return undefined;
      }
    }
    const reasons = fit?.kind === 'refused' ? fit.reasons : (order.malformed ?? []);
    if (fit?.kind === 'plan' || (fit?.kind === 'refused' && fit.why !== 'does-not-fit')) {
      await this.#say(at, { phase: orElse === 'close-lease' ? 'Won' : 'Bid', reasons });
      return again(untilRoomMs);
    }
    // A node that is away for a moment, or a card that is, ends nothing. What may run is left to the duties of leases: they close what does not, and never many at once.
    const mayBeMade = leaseStand?.(at.name).mayBeMade === true;
    if (mayBeMade) this.#roomless.delete(at.name);
    if (orElse === 'close-lease' && (mayBeMade || this.#roomlessMs(at.name) < bidTimeoutMs)) {
      await this.#say(at, { phase: 'Won', reasons });
      return again(untilRoomMs);
    }
    const message = `nothing is reserved for it, and there is no room: ${reasons.map((reason) => reason.message).join('; ')}`.slice(0, 256);
    if (orElse === 'close-bid') return await this.#closeBid({ code: 'NoRoom', message }, at, signal);
    const outcome = await this.#call(signal, (limited) => market.closeLease(at.order, message, limited));
    if (outcome.kind === 'unknown') throw await this.#unknown(at, outcome.reason);
    if (outcome.kind === 'done') view.answered(at.order, { lease: outcome.value });
    else await view.ask(at.order, signal);
    return outcome.kind === 'done' ? undefined : again(untilRoomMs);
  }

  #roomlessMs(name: string): number {
    const now = this.#options.clock.monotonic();
    const since = this.#roomless.get(name) ?? now;
    this.#roomless.set(name, since);
    return now - since;
  }

  /** Nobody knows what became of it: the reservation stays, and says so. */
  async #unknown(at: Place, reason: Reason): Promise<StatusError> {
    const message = `the outcome of the last request is unknown; the reservation is kept until the market answers: ${reason.message}`;
    await this.#say(at, { reasons: [{ code: 'MarketUnknown', message }] });
    return new StatusError('unavailable', `the market did not answer for ${at.name}: ${reason.message}`);
  }

  async #say({ name, order, seen, reservation }: Place, says: Pick<DecisionFacts, 'phase' | 'reasons'>): Promise<void> {
    const { records, clock, onDecision, book } = this.#options;
    const before = records.of(name);
    const standing = reservation ?? book.reservation(name);
    // API servers cut the time of creation off to a second.
    const orderedAt = seen.order?.createdAt ?? before?.orderedAt;
    const facts = {
      ...says,
      ...{ name, order, orderedAt, reservedAt: standing && Math.max(standing.createdAt, orderedAt ?? 0) },
      price: seen.lease?.price ?? seen.bid?.price ?? standing?.bid,
      priceParts: this.#quotes.get(name)?.parts,
    };
    const after = decisionAfter(before, facts, clock.now());
    if (after !== before) onDecision?.(after, before);
    await records.put(after);
  }

  async #call<T>(signal: AbortSignal, call: (signal: AbortSignal) => Promise<MarketOutcome<T>>): Promise<MarketOutcome<T>> {
    const { clock, deadlineMs } = this.#options;
    return await within(clock, deadlineMs, signal, call).catch((thrown: unknown) => {
      if (signal.aborted) throw thrown;
      const message = thrown instanceof Error ? thrown.message : 'it failed';
      return { kind: 'unknown', reason: { code: 'MarketUnknown', message } };
    });
  }

  #forget(name: string): Outcome {
    this.#refused.delete(name);
    this.#quotes.delete(name);
    this.#roomless.delete(name);
    return done;
  }
}

interface Place {
  readonly name: string;
  readonly order: OrderId;
  readonly seen: SeenOrder;
  readonly reservation: Reservation | undefined;
  readonly reserver: Reserver;
}

const orderOf = ({ order, bid, lease }: SeenOrder): OrderId | undefined => order?.order ?? bid?.order ?? lease?.order;

function cardsOf({ units }: Plan): ReadonlyMap<number, readonly CardGroup[]> {
  const groups = units.map(({ id, replicas }) => {
    const all = replicas.flatMap(({ cards }) => cards?.groups ?? []);
    return [id, [...new Map(all.map((group) => [JSON.stringify(group), group])).values()]] as const;
  });
  return new Map(groups.filter(([, cards]) => cards.length > 0));
}
