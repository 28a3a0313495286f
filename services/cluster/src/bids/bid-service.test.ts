import { BidPhase } from '@quartermaster/api/cluster';
import { describe, expect, it } from 'vitest';
import type { BidDecision } from './bid-decision.ts';
import { pageOfDecisions, totalsOf } from './bid-service.ts';

const decision = (dseq: number, changed: Partial<BidDecision> = {}): BidDecision => ({
  ...{
    name: `alice-${dseq}-1-1`,
    order: { owner: 'alice', dseq: BigInt(dseq), gseq: 1, oseq: 1 },
    phase: 'Bid',
    reasons: [],
    changedAt: dseq,
  },
  ...changed,
});
const asked = { pageSize: 0, pageToken: '', owner: '', phase: BidPhase.UNSPECIFIED as BidPhase, reason: '' };

describe('decisions', () => {
  it('are listed by pages, the newest change first, each once', () => {
    const all = [1, 2, 3, 4, 5].map((dseq) => decision(dseq, dseq === 3 ? { changedAt: 4 } : {}));
    const found: (bigint | undefined)[] = [];
    let pageToken = '';
    do {
      const page = pageOfDecisions({ ...asked, pageSize: 2, pageToken }, all);
      found.push(...page.decisions.map(({ order }) => order?.dseq));
      pageToken = page.nextPageToken;
    } while (pageToken !== '');
    expect(found).toEqual([5n, 3n, 4n, 2n, 1n]);
    expect(() => pageOfDecisions({ ...asked, pageToken: 'x' }, all)).toThrow('page_token');
    expect(() => pageOfDecisions({ ...asked, pageSize: 1001 }, all)).toThrow('page_size');
  });

  it('are found by owner, phase and reason', () => {
    const all = [decision(1), decision(2, { phase: 'Declined', reasons: [{ code: 'PriceTooLow', message: 'm' }] })];
    const dseqs = (by: Partial<typeof asked>) => pageOfDecisions({ ...asked, ...by }, all).decisions.map(({ order }) => order?.dseq);
    expect(dseqs({ owner: 'bob' })).toEqual([]);
    expect(dseqs({ phase: BidPhase.DECLINED })).toEqual([2n]);
    expect(dseqs({ reason: 'PriceTooLow' })).toEqual([2n]);
  });

  it('add up what leases bring in, exactly, by denom and resource', () => {
    const won = (dseq: number, denom: string, amount: string, parts: Record<string, string> = {}) =>
      decision(dseq, { phase: 'Won', price: { denom, amount }, priceParts: new Map(Object.entries(parts)) });
    const lost = decision(9, { phase: 'Lost', price: { denom: 'uakt', amount: '100' } });
    const all = [won(1, 'uakt', '0.1', { cpu: '0.1' }), won(2, 'uakt', '0.2', { cpu: '0.15', memory: '0.05' }), won(3, 'usd', '1'), lost];
    expect(totalsOf(all)).toEqual({
      decisions: [
        { phase: BidPhase.WON, count: 3n },
        { phase: BidPhase.LOST, count: 1n },
      ],
      revenue: [
        { denom: 'uakt', amount: '0.3', leases: 2n, parts: { cpu: '0.25', memory: '0.05' } },
        { denom: 'usd', amount: '1', leases: 1n, parts: {} },
      ],
    });
  });
});
