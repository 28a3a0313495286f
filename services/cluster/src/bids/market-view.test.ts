import { FakeClock, seededRandom, silentLog } from '@quartermaster/kernel';
import { describe, expect, it } from 'vitest';
import { recordingOf } from '../../test/recorded.ts';
import { Gi } from '../../test/sample-facts.ts';
import { RecordedMarket } from '../market/recorded-market.ts';
import type { RecordedLineInput } from '../market/recording.ts';
import { MarketView } from './market-view.ts';

const order = (dseq: number) => ({ owner: 'akash1x', dseq: BigInt(dseq), gseq: 1, oseq: 1 });
const price = { denom: 'uakt', amount: '1' };
const line = (dseq: number, at = 0): RecordedLineInput => ({
  order: `akash1x/${dseq}/1/1`,
  at,
  units: [{ id: 1, count: 1, cpuMillis: 100, memoryBytes: Gi }],
  maxPrice: { denom: 'uakt', amount: '10' },
});
const { signal } = new AbortController();

/** A market whose list of leases comes when it is told to. */
class SlowMarket extends RecordedMarket {
  held: Promise<void> | undefined;

  override async leases(...args: Parameters<RecordedMarket['leases']>): ReturnType<RecordedMarket['leases']> {
    await this.held;
    return await super.leases(...args);
  }
}

async function reading(lines: readonly RecordedLineInput[]) {
  const clock = new FakeClock();
  const market = new SlowMarket(recordingOf(lines), clock);
  const view = new MarketView({ market, readEveryMs: 30_000, deadlineMs: 10_000, clock, random: seededRandom(1), log: silentLog });
  const ending = new AbortController();
  void view.run(ending.signal);
  await clock.advance(1_000);
  return { clock, market, view, end: () => ending.abort() };
}

describe('what is known of a market', () => {
  it('is all pages of its lists, in whatever order they come', async () => {
    const { view, end } = await reading([...[1, 2, 3, 4, 5, 6, 7].map((dseq) => line(dseq)), { pageSize: 1, shuffled: true }]);
    expect(view.status().openOrders).toBe(7);
    end();
  });

  it('stays known while it cannot be read, and is said to be old', async () => {
    const { clock, view, end } = await reading([line(1), { gap: 'fail', at: 10_000, forMs: 60_000 }]);
    await clock.advance(40_000);
    expect([view.of('akash1x-1-1-1').state, view.problem?.code, view.status().openOrders]).toEqual(['open', 'MarketUnknown', 1]);
    await clock.advance(60_000);
    expect(view.problem).toBeUndefined();
    end();
  });

  it('is read again after it did not answer in time', async () => {
    const { clock, market, view, end } = await reading([line(1), line(2, 5_000)]);
    market.held = new Promise(() => {});
    await clock.advance(20_000);
    expect([view.problem?.message, view.status().openOrders]).toEqual([expect.stringContaining('no answer within 10000 ms'), 1]);
    market.held = undefined;
    await clock.advance(40_000);
    expect([view.problem, view.status().openOrders]).toEqual([undefined, 2]);
    end();
  });

  it('is what a request was answered, though lists were read before that came later', async () => {
    const { clock, market, view, end } = await reading([line(1), { wake: 1, at: 2_000 }]);
    const { promise, resolve } = Promise.withResolvers<void>();
    market.held = promise;
    await clock.advance(3_000);
    const made = await market.createBid(order(1), { price, cards: new Map() });
    if (made.kind !== 'done') throw new Error('there is no bid');
    view.answered(order(1), { bid: made.value });
    resolve();
    await clock.advance(10);
    expect(view.of('akash1x-1-1-1').bid?.state).toBe('open');
    end();
  });

  it('is not what it says after it has said that the bid is closed', async () => {
    const { clock, market, view, end } = await reading([line(1), { gap: 'stale', at: 2_000, forMs: 60_000 }]);
    await market.createBid(order(1), { price, cards: new Map() });
    await clock.advance(3_000);
    const closed = await market.closeBid(order(1), 'over');
    if (closed.kind !== 'done') throw new Error('the bid is not closed');
    view.answered(order(1), { bid: closed.value });
    await expect(view.ask(order(1), signal)).rejects.toMatchObject({ code: 'unavailable' });
    expect(view.of('akash1x-1-1-1')).toMatchObject({ bid: { state: 'closed' }, isAsked: false });
    end();
  });
});
