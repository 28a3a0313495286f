import { describe, expect, it } from 'vitest';
import { sampleOrder } from '../../test/sample-order.ts';
import type { MarketBid, MarketLease } from '../market/market.ts';
import type { BidDecision, DecisionPhase } from './bid-decision.ts';
import { nextStep, type SeenOrder, type Situation } from './next-step.ts';

const order = sampleOrder();
const price = { denom: 'uakt', amount: '1' };
const bid = (state: MarketBid['state']): MarketBid => ({ order: order.order, price, state });
const lease = (state: MarketLease['state']): MarketLease => ({ order: order.order, provider: 'provider', price, state });
const reserved = { uid: 'u', phase: 'pending', isConfirmed: true, bid: price, createdAt: 0 } as const;
const active = { ...reserved, phase: 'active' } as const;
const recorded = (phase: DecisionPhase, code = 'X'): BidDecision => ({
  ...{ name: 'alice-1-1-1', order: order.order, phase, reasons: [{ code, message: '' }], changedAt: 0 },
});
const minutes = 60_000;

const step = (seen: Partial<SeenOrder>, more: Partial<Situation> = {}) =>
  nextStep({ seen: { state: 'unknown', isAsked: false, ...seen }, now: 0, bidTimeoutMs: 5 * minutes, ...more });

describe('the next step of an order', () => {
  it('considers what is open, and never again what has ended', () => {
    expect(step({ state: 'open', order })).toEqual({ kind: 'consider', order });
    expect(step({ state: 'open', order }, { decision: recorded('Declined') }).kind).toBe('consider');
    for (const phase of ['Lost', 'Expired', 'Closed'] as const)
      expect(step({ state: 'open', order }, { decision: recorded(phase) })).toEqual({ kind: 'rest' });
    expect(step({ state: 'open', order }, { decision: recorded('Declined', 'BidRefused') })).toEqual({ kind: 'rest' });
  });

  it('bids with a confirmed reservation alone, at its price', () => {
    expect(step({ state: 'open', order }, { reservation: { ...reserved, isConfirmed: false } })).toEqual({ kind: 'rest', forMs: 200 });
    expect(step({ state: 'open', order }, { reservation: reserved })).toEqual({ kind: 'bid', price });
    expect(step({ state: 'open', order }, { reservation: { ...reserved, bid: undefined } })).toMatchObject({ says: { phase: 'Declined' } });
  });

  it('leaves to whoever made it what was reserved by hand', () => {
    const reservation = { ...reserved, bid: undefined };
    for (const seen of [{ bid: bid('lost') }, { state: 'closed', isAsked: true }, { lease: lease('closed') }] as const)
      expect(step(seen, { reservation }).kind).toBe('rest');
  });

  it('waits for the tenant until the time of the bid is over, and then has the market close it', () => {
    const seen = { state: 'open', order, bid: bid('open') } as const;
    expect(step(seen, { reservation: reserved, now: 2 * minutes })).toMatchObject({
      kind: 'rest',
      says: { phase: 'Bid' },
      forMs: 3 * minutes,
    });
    expect(step(seen, { reservation: reserved, now: 5 * minutes })).toMatchObject({ kind: 'close-bid', reason: { code: 'BidTimeout' } });
    expect(step({ state: 'open', order }, { reservation: reserved, now: 5 * minutes })).toMatchObject({
      kind: 'close-bid',
      reason: { code: 'BidTimeout', message: 'the market did not confirm the bid within bid-timeout (300 s)' },
    });
  });

  it('releases when the market says that the bid cannot win, and by nothing else', () => {
    const reservation = reserved;
    const release = { kind: 'release', uid: 'u' };
    expect(step({ bid: bid('lost') }, { reservation })).toEqual(release);
    expect(step({ bid: bid('closed') }, { reservation })).toEqual({ kind: 'look-up' });
    expect(step({ bid: bid('closed'), isAsked: true }, { reservation })).toEqual(release);
    expect(step({ state: 'closed', isAsked: true }, { reservation })).toEqual(release);
    expect(step({ state: 'active', isAsked: true }, { reservation })).toEqual(release);
    expect(step({ withdrawn: { code: 'X', message: '' } }, { reservation })).toEqual(release);
    expect(step({}, { reservation })).toEqual({ kind: 'look-up' });
    expect(step({ isAsked: true }, { reservation, now: 60 * minutes })).toMatchObject({
      kind: 'rest',
      says: { reasons: [{ code: 'OrderUnknown' }] },
    });
    expect(step({ state: 'open', order, bid: bid('won') }, { reservation })).toEqual({ kind: 'look-up' });
  });

  it('keeps an active reservation until its lease is closed', () => {
    for (const seen of [
      {},
      { state: 'open', order } as const,
      { state: 'closed', isAsked: true } as const,
      { bid: bid('lost'), isAsked: true },
    ])
      expect(step(seen, { reservation: active }).kind).not.toBe('release');
    expect(step({ lease: lease('closed') }, { reservation: active })).toEqual({ kind: 'release', uid: 'u' });
  });

  it('activates what a lease was won with, and reserves anew what it lost', () => {
    const seen = { state: 'active', order, lease: lease('active') } as const;
    expect(step(seen, { reservation: reserved })).toEqual({ kind: 'activate' });
    expect(step(seen, { reservation: active })).toMatchObject({ kind: 'rest', says: { phase: 'Won' } });
    expect(step(seen)).toMatchObject({ kind: 'reserve', price, orElse: 'close-lease' });
    expect(step({ ...seen, order: undefined })).toEqual({ kind: 'look-up' });
    expect(step({ state: 'open', order, bid: bid('open') })).toMatchObject({ kind: 'reserve', orElse: 'close-bid' });
  });

  it('revives nothing that was closed', () => {
    expect(step({ state: 'active', order, lease: lease('active') }, { decision: recorded('Closed') })).toEqual({ kind: 'rest' });
    expect(step({ lease: lease('closed') })).toMatchObject({ kind: 'rest', says: { phase: 'Closed' } });
  });

  it('goes on with a lease that was closed and is not taken away yet, when the market takes that back', () => {
    const seen = { state: 'active', order, lease: lease('active') } as const;
    const closed = { decision: recorded('Closed'), runs: true, lasts: true };
    expect(step(seen, { ...closed, reservation: active })).toMatchObject({ kind: 'rest', says: { phase: 'Won' } });
    expect(step(seen, { ...closed, reservation: reserved })).toEqual({ kind: 'activate' });
    expect(step(seen, closed)).toMatchObject({ kind: 'reserve', orElse: 'close-lease' });
    for (const lasts of [false, undefined]) expect(step(seen, { ...closed, lasts })).toEqual({ kind: 'rest' });
  });

  it('rules a bid out that the market has refused before it releases anything', () => {
    const refused = { code: 'BidRefused', message: 'no' };
    expect(step({ state: 'open', order }, { reservation: reserved, refused })).toEqual({ kind: 'close-bid', reason: refused });
    expect(step({ state: 'open', order, withdrawn: refused })).toMatchObject({
      kind: 'rest',
      says: { phase: 'Declined', reasons: [refused] },
    });
  });

  it('records what was reserved for in vain, since the order was closed before the bid came', () => {
    const refused = { code: 'BidRefused', message: 'no' };
    const seen = { state: 'closed', order, isAsked: true } as const;
    expect(step(seen, { reservation: reserved, refused }).kind).toBe('release');
    for (const decision of [undefined, recorded('Declined')])
      expect(step(seen, { refused, decision })).toMatchObject({ says: { phase: 'Lost', reasons: [{ code: 'OrderClosed' }] } });
    expect(step(seen)).toEqual({ kind: 'rest' });
  });

  it('asks for what was at stake and is in no list any more', () => {
    expect(step({}, { decision: recorded('Bid') })).toEqual({ kind: 'look-up' });
    expect(step({}, { decision: recorded('Won') })).toEqual({ kind: 'look-up' });
    expect(step({}, { decision: recorded('Declined') })).toEqual({ kind: 'rest' });
    expect(step({ state: 'closed', isAsked: true }, { decision: recorded('Bid') })).toMatchObject({ says: { phase: 'Lost' } });
  });

  it.each([
    ['a closed lease', { lease: lease('closed') }, active, 'Closed'],
    ['a lost bid', { bid: bid('lost') }, reserved, 'Lost'],
    ['a closed bid', { bid: bid('closed'), isAsked: true }, reserved, 'Expired'],
    ['a closed order', { state: 'closed', isAsked: true, bid: bid('open') }, reserved, 'Lost'],
  ] as const)('releases nothing of %s while something of it runs, and records the end meanwhile', (_what, seen, reservation, phase) => {
    expect(step(seen, { reservation, runs: true })).toMatchObject({ kind: 'rest', says: { phase } });
    for (const runs of [false, undefined]) expect(step(seen, { reservation, runs })).toEqual({ kind: 'release', uid: 'u' });
  });
});
