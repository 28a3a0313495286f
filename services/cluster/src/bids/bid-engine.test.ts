import { done } from '@quartermaster/controller';
import { FakeClock, silentLog } from '@quartermaster/kernel';
import { describe, expect, it } from 'vitest';
import { BidProcess, type Durable } from '../../test/bid-process.ts';
import { recordingOf } from '../../test/recorded.ts';
import { Gi, node, unit } from '../../test/sample-facts.ts';
import { RecordedMarket } from '../market/recorded-market.ts';
import type { PlacingOptions } from '../placement/place.ts';
import type { Unit } from '../placement/request.ts';
import type { NodeFacts } from '../placement/stock-facts.ts';
import type { Reserver } from '../reservations/reserver.ts';
import { BidEngine, type BidEngineOptions } from './bid-engine.ts';

const order = 'akash1x/1/1/1';
const name = 'akash1x-1-1-1';

const small = unit({ memoryBytes: 4 * Gi });
const cramped = [node('a', { cpuMillis: 4000, memoryBytes: 8 * Gi }), node('b', { cpuMillis: 5000, memoryBytes: 8 * Gi })];

/** A lease whose reservation somebody deleted, on nodes as they are by then. */
async function leaseWithout(nodes: readonly NodeFacts[], units: readonly Unit[], placing?: PlacingOptions) {
  const clock = new FakeClock();
  const lines = recordingOf([
    {
      order,
      at: 0,
      units: units.map(({ id, count, cpuMillis, memoryBytes }) => ({ id, count, cpuMillis, memoryBytes })),
      maxPrice: { denom: 'uakt', amount: '1000' },
    },
    { tenant: 'accept', of: order, after: 'bid', afterMs: 1_000 },
  ]);
  const market = new RecordedMarket(lines, clock);
  const durable: Durable = { reservations: new Map(), decisions: new Map() };
  const before = new BidProcess({ market, durable, clock, nodes: cramped });
  await clock.advance(20_000);
  expect(market.known.get(name)?.lease?.state).toBe('active');
  before.stop();
  durable.reservations.clear();
  const after = new BidProcess({ market, durable, clock, nodes, placing });
  await clock.advance(310_000);
  after.stop();
  return { lease: market.known.get(name)?.lease?.state, codes: durable.decisions.get(name)?.reasons.map(({ code }) => code) };
}

describe('a lease that lost its reservation', () => {
  it('gets another one, or ends where it is certain that there is no room', async () => {
    expect(await leaseWithout(cramped, [small])).toMatchObject({ lease: 'active', codes: [] });
    expect(await leaseWithout([node('a', { cpuMillis: 500 })], [small])).toMatchObject({ lease: 'closed' });
  });

  it('stays while nobody found out whether there is room', async () => {
    // Best fit puts the small one where both large ones would have to go.
    const units = [small, unit({ id: 2, cpuMillis: 4000, memoryBytes: 3 * Gi }), unit({ id: 3, cpuMillis: 4000 })];
    expect(await leaseWithout(cramped, units, { maxSteps: 3 })).toEqual({ lease: 'active', codes: ['SearchBudgetSpent'] });
  });
});

it('waits until this replica has taken over, rather than go through all orders again and again meanwhile', async () => {
  const clock = new FakeClock();
  let reserver: Reserver | undefined;
  const engine = new BidEngine({
    ...{ clock, log: silentLog, bidTimeoutMs: 60_000, reserver: () => reserver },
    view: { of: () => ({ state: 'unknown', isAsked: false }) },
    book: { reservation: () => undefined },
    records: { of: () => undefined },
  } as unknown as BidEngineOptions);
  const outcomes: unknown[] = [];
  const stopped = new AbortController();
  for (const each of ['a-1-1-1', 'a-2-1-1']) void engine.reconcile(each, stopped.signal).then((outcome) => outcomes.push(outcome));
  await clock.advance(60_000);
  expect(outcomes).toEqual([]);
  reserver = {} as Reserver;
  await clock.advance(1_000);
  expect(outcomes).toEqual([done, done]);
  reserver = undefined;
  void engine.reconcile('a-3-1-1', stopped.signal).then((outcome) => outcomes.push(outcome));
  stopped.abort();
  await clock.advance(0);
  expect(outcomes).toHaveLength(3);
  expect(clock.pendingTimers).toBe(0);
});
