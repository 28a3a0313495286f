import { FakeClock } from '@quartermaster/kernel';
import { describe, expect, it } from 'vitest';
import { BidProcess, type Durable, sampleScale } from '../../test/bid-process.ts';
import { recordingOf } from '../../test/recorded.ts';
import { delta, figures } from '../../test/sample-book.ts';
import { Gi, node } from '../../test/sample-facts.ts';
import { RecordedMarket } from '../market/recorded-market.ts';
import type { RecordedLineInput } from '../market/recording.ts';
import type { LeaseStand } from '../model/lease-stand.ts';
import { scalePricing } from './price-scale.ts';

const of = 'akash1x/1/1/1';
const name = 'akash1x-1-1-1';
const ordered = { order: of, units: [{ id: 1, count: 1, cpuMillis: 1_000, memoryBytes: Gi }], maxPrice: { denom: 'uakt', amount: '10' } };
const accepted = { tenant: 'accept', of, after: 'bid', afterMs: 0 } as const;
const roomy = [node('n1')];
const full = [node('n1', { cpuMillis: 500 })];

/** A market that may leave a bid without an answer for good. */
class SilentMarket extends RecordedMarket {
  isSilent = false;

  override createBid(...args: Parameters<RecordedMarket['createBid']>): ReturnType<RecordedMarket['createBid']> {
    return this.isSilent ? new Promise(() => {}) : super.createBid(...args);
  }
}

function world(lines: readonly RecordedLineInput[], nodes = roomy) {
  const clock = new FakeClock();
  const market = new SilentMarket(recordingOf(lines), clock);
  const durable: Durable = { reservations: new Map(), decisions: new Map() };
  let quotes = 0;
  const scale = scalePricing(sampleScale, 18);
  const pricing: typeof scale = {
    quote: (...args) => {
      quotes += 1;
      return scale.quote(...args);
    },
  };
  const start = (on = nodes, more: { readonly leaseStand?: () => LeaseStand } = {}) =>
    new BidProcess({ market, durable, clock, nodes: on, pricing, ...more });
  return {
    ...{ clock, market, durable, start, quotes: () => quotes },
    known: () => market.known.get(name),
    decision: () => durable.decisions.get(name),
    reservation: () => durable.reservations.get(name),
  };
}

const codesOf = (decision: { readonly reasons: readonly { readonly code: string }[] } | undefined) =>
  decision?.reasons.map(({ code }) => code);

describe('a lease without a reservation', () => {
  /** It was won, and somebody has deleted its reservation since. */
  async function won() {
    const made = world([ordered, accepted]);
    const first = made.start();
    await made.clock.advance(5_000);
    expect([made.known()?.lease?.state, made.reservation()?.phase]).toEqual(['active', 'active']);
    first.stop();
    made.durable.reservations.clear();
    return made;
  }

  it('is reserved for anew, at its price', async () => {
    const { clock, start, known, reservation, decision } = await won();
    const running = start();
    await clock.advance(5_000);
    expect(reservation()).toMatchObject({ phase: 'active', bid: known()?.lease?.price });
    expect([known()?.lease?.state, decision()?.phase]).toEqual(['active', 'Won']);
    running.stop();
  });

  it('is closed with the reason where there is no room for as long as a bid may wait', async () => {
    const { clock, start, known, reservation, decision } = await won();
    const running = start(full);
    await clock.advance(290_000);
    expect([known()?.lease?.state, decision()?.phase, codesOf(decision())]).toEqual(['active', 'Won', ['NoRoom']]);
    await clock.advance(15_000);
    expect(known()?.lease).toMatchObject({
      state: 'closed',
      reason: expect.stringMatching(/^nothing is reserved for it, and there is no room: /),
    });
    expect([reservation(), decision()?.phase]).toEqual([undefined, 'Closed']);
    running.stop();
  });

  it('is closed so also where it only waits for its manifest', async () => {
    const { clock, start, known } = await won();
    const running = start(full, { leaseStand: () => ({ mayRun: true, mayBeMade: false, lasts: true }) });
    await clock.advance(305_000);
    expect(known()?.lease?.state).toBe('closed');
    running.stop();
  });

  it('stays, with the reason, for as long as something of it may run', async () => {
    const { clock, start, known, decision } = await won();
    const running = start(full, { leaseStand: () => ({ mayRun: true, mayBeMade: true, lasts: true }) });
    await clock.advance(3_600_000);
    expect([known()?.lease?.state, decision()?.phase, codesOf(decision())]).toEqual(['active', 'Won', ['NoRoom']]);
    running.stop();
  });

  it('stays while nobody knows what room there is', async () => {
    const { clock, start, known, reservation, decision } = await won();
    const running = start();
    running.book.setKnowledge({ protocol: 'deltas', problem: { code: 'InventoryStale', message: 'nobody has heard of it for a while' } });
    await clock.advance(60_000);
    expect([known()?.lease?.state, reservation()]).toEqual(['active', undefined]);
    expect([decision()?.phase, codesOf(decision())]).toEqual(['Won', ['InventoryStale']]);
    running.book.setKnowledge({ protocol: 'deltas' });
    await clock.advance(10_000);
    expect(reservation()?.phase).toBe('active');
    running.stop();
  });
});

describe('a bid without a reservation', () => {
  it('is closed where there is no room', async () => {
    const { clock, start, known, durable, decision } = world([ordered]);
    const first = start();
    await clock.advance(5_000);
    expect(known()?.bid?.state).toBe('open');
    first.stop();
    durable.reservations.clear();
    const running = start(full);
    await clock.advance(5_000);
    expect([known()?.bid?.state, decision()?.phase]).toEqual(['closed', 'Expired']);
    running.stop();
  });
});

describe('a market', () => {
  it('that does not answer a bid is waited for no longer than a while, and what was reserved stays', async () => {
    const { clock, market, start, known, decision, reservation } = world([ordered]);
    market.isSilent = true;
    const running = start();
    await clock.advance(9_000);
    expect([reservation()?.isConfirmed, decision()]).toEqual([true, undefined]);
    await clock.advance(2_000);
    expect([decision()?.phase, codesOf(decision())]).toEqual(['Reserved', ['MarketUnknown']]);
    expect(reservation()?.isConfirmed).toBe(true);
    market.isSilent = false;
    await clock.advance(60_000);
    expect([known()?.bid?.state, decision()?.phase, codesOf(decision())]).toEqual(['open', 'Bid', []]);
    running.stop();
  });

  it('that cannot be read is not bid at, whatever room there is meanwhile', async () => {
    const { clock, start, known, reservation } = world([ordered, { gap: 'fail', at: 10_000, forMs: 120_000 }], full);
    const running = start();
    await clock.advance(30_000);
    running.book.takeInventory(delta({ kind: 'whole', nodes: roomy.map(figures) }));
    await clock.advance(90_000);
    expect(reservation()).toBeUndefined();
    await clock.advance(180_000);
    expect(known()?.bid?.state).toBe('open');
    running.stop();
  });
});

describe('an order', () => {
  it('that is declined is considered again, each time after twice as long, however often the market wakes us', async () => {
    const wakes = Array.from({ length: 40 }, (_, second) => ({ wake: 1, at: second * 1_000 }));
    const { clock, start, quotes, decision } = world([{ ...ordered, maxPrice: { denom: 'uakt', amount: '1' } }, ...wakes]);
    const running = start();
    await clock.advance(1_000);
    expect(decision()?.phase).toBe('Declined');
    const counts: number[] = [];
    for (const ms of [0, 5_000, 10_000, 20_000]) {
      await clock.advance(ms);
      counts.push(quotes());
    }
    expect(counts).toEqual([1, 2, 3, 4]);
    running.stop();
  });

  it('that becomes a lease is announced when it does, and when that ends', async () => {
    const { clock, market, start } = world([ordered, accepted, { tenant: 'close-lease', of, after: 'lease', afterMs: 10_000 }]);
    const running = start();
    await clock.advance(5_000);
    expect(running.announced).toEqual([`won ${name}`]);
    await clock.advance(20_000);
    expect([market.known.get(name)?.lease?.state, running.announced]).toEqual(['closed', [`won ${name}`, `closed ${name}`]]);
    running.stop();
  });
});
