import { FakeClock, pause } from '@quartermaster/kernel';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BidProcess, type Durable, sampleScale } from '../../test/bid-process.ts';
import { recordingOf } from '../../test/recorded.ts';
import { Gi, node } from '../../test/sample-facts.ts';
import { RecordedMarket } from '../market/recorded-market.ts';
import type { RecordedLineInput } from '../market/recording.ts';
import type { Reservation } from '../model/reservation.ts';
import { orderName } from '../reservations/order-name.ts';
import { scalePricing } from './price-scale.ts';
import type { Pricing } from './pricing.ts';

const minute = 60_000;
const fates = ['accept', 'accept-another', 'close-order', 'expire', 'end', 'too-cheap', 'too-large'] as const;
type Fate = (typeof fates)[number];

const story = fc.array(
  fc.record({
    fate: fc.constantFrom<Fate>(...fates),
    at: fc.integer({ min: 0, max: minute / 2 }),
    afterMs: fc.integer({ min: 0, max: minute / 2 }),
  }),
  { minLength: 1, maxLength: 6 },
);

/** Orders, and what tenants do after our bid: whenever that comes. */
const linesOf = (orders: readonly { fate: Fate; at: number; afterMs: number }[]): readonly RecordedLineInput[] =>
  orders.flatMap(({ fate, at, afterMs }, index): readonly RecordedLineInput[] => {
    const of = `akash1x/${index + 1}/1/1`;
    const amount = fate === 'too-cheap' ? '0.001' : '1000';
    const cpuMillis = fate === 'too-large' ? 384_000 : 1_000;
    const order = { order: of, at, units: [{ id: 1, count: 1, cpuMillis, memoryBytes: Gi }], maxPrice: { denom: 'uakt', amount } };
    if (fate === 'end') {
      return [order, { tenant: 'accept', of, after: 'bid', afterMs }, { tenant: 'close-lease', of, after: 'lease', afterMs }];
    }
    return fate === 'accept' || fate === 'accept-another' || fate === 'close-order'
      ? [order, { tenant: fate, of, after: 'bid', afterMs }]
      : [order];
  });

const noise = fc.array(
  fc.oneof(
    fc.record({
      gap: fc.constantFrom('fail' as const, 'stale' as const, 'mute' as const),
      at: fc.integer({ min: 0, max: minute }),
      forMs: fc.integer({ min: 1, max: minute / 2 }),
    }),
    fc.record({ wake: fc.integer({ min: 1, max: 5 }), at: fc.integer({ min: 0, max: 4 * minute }) }),
    fc.record({
      lose: fc.constantFrom('request' as const, 'answer' as const),
      of: fc.constantFrom('createBid' as const, 'closeBid' as const, 'closeLease' as const),
      nth: fc.integer({ min: 1, max: 6 }),
    }),
    fc.record({ pageSize: fc.constantFrom(1, 2), shuffled: fc.constant(true) }),
  ),
  { maxLength: 6 },
);

const bidTimeoutMs = 2 * minute;
const capacity = 16_000;
const nodes = [node('n1', { cpuMillis: capacity })];

/** Tells of a promise that is taken back while somebody may rely on it. */
class Reservations extends Map<string, Reservation> {
  readonly #market: RecordedMarket;

  constructor(market: RecordedMarket) {
    super();
    this.#market = market;
  }

  override delete(name: string): boolean {
    const { bid, lease } = this.#market.known.get(name) ?? {};
    if (this.get(name)?.isConfirmed === true && (bid?.state === 'open' || lease?.state === 'active'))
      broken.push(`${name} has no reservation any more`);
    return super.delete(name);
  }
}

const broken: string[] = [];

/** Plays it to its end, with a new process after each death: at the n-th point each. */
async function play(lines: readonly RecordedLineInput[], dieAt?: number) {
  const clock = new FakeClock();
  const market = new RecordedMarket(recordingOf(lines), clock);
  const durable: Durable = { reservations: new Reservations(market), decisions: new Map() };
  let running = new BidProcess({ market, durable, clock, nodes, dieAt, bidTimeoutMs });
  let deaths = 0;
  market.onBid = (order) => {
    const standing = durable.reservations.get(orderName(order));
    if (standing?.isConfirmed !== true || standing.bid === undefined) broken.push(`${orderName(order)} has a bid without a reservation`);
  };
  for (let second = 0; second < 6 * 60; second += 10) {
    await clock.advance(10_000);
    const promised = [...durable.reservations.values()].reduce((sum, { request }) => sum + (request.units[0]?.cpuMillis ?? 0), 0);
    expect(promised).toBeLessThanOrEqual(capacity);
    expect(broken).toEqual([]);
    if (!running.isDead) continue;
    deaths += 1;
    running = new BidProcess({ market, durable, clock, nodes, bidTimeoutMs });
  }
  running.stop();
  return { outcome: outcomeOf(market, durable), deaths };
}

const byName = ([a]: readonly [string, ...unknown[]], [b]: readonly [string, ...unknown[]]): number => (a < b ? -1 : 1);

function outcomeOf(market: RecordedMarket, { reservations, decisions }: Durable) {
  const orders = [...market.known].map(([name, { bid, lease }]) => [name, bid?.state, bid?.price.amount, lease?.state] as const);
  return {
    orders: orders.toSorted(byName),
    phases: [...decisions.values()].map(({ name, phase }) => [name, phase] as const).toSorted(byName),
    reservations: [...reservations.values()].map(({ name, phase }) => [name, phase] as const).toSorted(byName),
  };
}

const everyFate = fates.map((fate, index) => ({ fate, at: index, afterMs: 1_000 }));

const requests = ['createBid', 'closeBid', 'closeLease'] as const;
/** Each way of letting somebody down, one at a time. */
const letdowns: readonly RecordedLineInput[] = [
  ...requests.flatMap((of) =>
    [1, 2, 3, 4, 5].flatMap((nth) => [
      { lose: 'request' as const, of, nth },
      { lose: 'answer' as const, of, nth },
    ]),
  ),
  ...(['fail', 'stale', 'mute'] as const).flatMap((gap) => [0, 900].map((at) => ({ gap, at, forMs: minute / 2 }))),
  { pageSize: 1, shuffled: true },
];

describe('the bid engine', () => {
  it('takes each order to its end', async () => {
    const { outcome } = await play(linesOf(everyFate));
    const price = '3.048';
    expect(outcome).toEqual({
      orders: [
        ['akash1x-1-1-1', 'won', price, 'active'],
        ['akash1x-2-1-1', 'lost', price, undefined],
        ['akash1x-3-1-1', 'lost', price, undefined],
        ['akash1x-4-1-1', 'closed', price, undefined],
        ['akash1x-5-1-1', 'closed', price, 'closed'],
        ['akash1x-6-1-1', undefined, undefined, undefined],
        ['akash1x-7-1-1', undefined, undefined, undefined],
      ],
      phases: ['Won', 'Lost', 'Lost', 'Expired', 'Closed', 'Declined', 'Declined'].map((phase, index) => [
        `akash1x-${index + 1}-1-1`,
        phase,
      ]),
      reservations: [['akash1x-1-1-1', 'active']],
    });
  });

  it.each([-10 * minute, 10 * minute])(
    'lets bids wait for as long as it should where the clock of the API server differs by %i ms',
    async (serverAheadMs) => {
      const clock = new FakeClock();
      const of = 'akash1x/1/1/1';
      const units = [{ id: 1, count: 1, cpuMillis: 1_000, memoryBytes: Gi }];
      const lines = recordingOf([{ order: of, units, maxPrice: { denom: 'uakt', amount: '1000' } }]);
      const market = new RecordedMarket(lines, clock);
      const durable: Durable = { reservations: new Map(), decisions: new Map() };
      const running = new BidProcess({ market, durable, clock, nodes, bidTimeoutMs, serverAheadMs });
      const bidOf = () => market.known.get('akash1x-1-1-1')?.bid?.state;
      await clock.advance(bidTimeoutMs - minute / 2);
      expect(bidOf()).toBe('open');
      await clock.advance(minute);
      expect(bidOf()).toBe('closed');
      running.stop();
    },
  );

  it('gives back what was lost at once, however slowly prices of other orders come', async () => {
    const clock = new FakeClock();
    const of = (dseq: number) => `akash1x/${dseq}/1/1`;
    const order = (dseq: number, at: number): RecordedLineInput => ({
      ...{ order: of(dseq), at, units: [{ id: 1, count: 1, cpuMillis: 10, memoryBytes: 2 ** 20 }] },
      maxPrice: { denom: 'uakt', amount: '1000' },
    });
    const many = Array.from({ length: 200 }, (_, index) => order(index + 2, minute));
    const lines = [order(1, 0), ...many, { tenant: 'accept-another' as const, of: of(1), at: minute + 15_000 }];
    const market = new RecordedMarket(recordingOf(lines), clock);
    const durable: Durable = { reservations: new Map(), decisions: new Map() };
    const price = scalePricing(sampleScale, market.priceDigits);
    const pricing: Pricing = {
      quote: async (priced, signal) => {
        if (priced.order.order.dseq > 1n) await pause(clock, 10_000, signal);
        return await price.quote(priced, signal);
      },
    };
    const running = new BidProcess({ market, durable, clock, nodes, bidTimeoutMs: 60 * minute, pricing });
    await clock.advance(minute + 14_000);
    expect(durable.reservations.has('akash1x-1-1-1')).toBe(true);
    await clock.advance(2_000);
    expect(durable.reservations.has('akash1x-1-1-1')).toBe(false);
    await clock.advance(20 * minute);
    expect(durable.reservations.size).toBe(200);
    running.stop();
  });

  it('comes to the same after a death at any point', async () => {
    const clean = await play(linesOf(everyFate));
    for (let dieAt = 1; ; dieAt += 1) {
      const { outcome, deaths } = await play(linesOf(everyFate), dieAt);
      expect(outcome, `died at point ${dieAt}`).toEqual(clean.outcome);
      if (deaths === 0) break;
      expect(dieAt).toBeLessThan(200);
    }
  }, 60_000);

  it('promises the last place once, whoever dies meanwhile', async () => {
    const order = (index: number): readonly RecordedLineInput[] => [
      {
        order: `akash1x/${index}/1/1`,
        at: 0,
        units: [{ id: 1, count: 1, cpuMillis: capacity, memoryBytes: Gi }],
        maxPrice: { denom: 'uakt', amount: '1000' },
      },
      { tenant: 'accept', of: `akash1x/${index}/1/1`, after: 'bid', afterMs: 1_000 },
    ];
    for (let dieAt = 1; ; dieAt += 1) {
      const { outcome, deaths } = await play([...order(1), ...order(2)], dieAt);
      expect(outcome.phases.map(([, phase]) => phase).toSorted(), `died at point ${dieAt}`).toEqual(['Declined', 'Won']);
      expect(outcome.reservations).toHaveLength(1);
      if (deaths === 0) break;
    }
  }, 60_000);

  it.each([0, 1_000])(
    'comes to the same whichever way the market lets it down, with tenants that act after %i ms',
    async (afterMs) => {
      const lines = linesOf(everyFate.map((each) => ({ ...each, at: 0, afterMs })));
      const clean = await play(lines);
      for (const letdown of letdowns) {
        const { outcome } = await play([...lines, letdown]);
        expect(outcome, `let down by ${JSON.stringify(letdown)}`).toEqual(clean.outcome);
      }
    },
    60_000,
  );

  it('comes to the same bids and leases however the market lets it down', async () => {
    await fc.assert(
      fc.asyncProperty(story, noise, async (orders, lines) => {
        const clean = await play(linesOf(orders));
        const noisy = await play([...linesOf(orders), ...lines]);
        expect(noisy.outcome).toEqual(clean.outcome);
      }),
      { numRuns: 25 },
    );
  }, 120_000);
});
