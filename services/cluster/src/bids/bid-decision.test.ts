import { describe, expect, it } from 'vitest';
import { type DecisionFacts, decisionAfter } from './bid-decision.ts';

const facts = (changed: Partial<DecisionFacts>): DecisionFacts => ({
  name: 'alice-1-1-1',
  order: { owner: 'alice', dseq: 1n, gseq: 1, oseq: 1 },
  phase: 'Declined',
  reasons: [],
  ...changed,
});
const noRoom = { code: 'NoRoom', message: 'no single node can hold one replica' };
const tooFew = { code: 'TooFewGpus', message: '3 nodes (a, b, c): has at most 2 of the wanted GPUs free; each replica needs 8' };

describe('the record of an order', () => {
  it('stays as it is where figures change, or where less is said of the same', () => {
    const first = decisionAfter(undefined, facts({ reasons: [noRoom, tooFew] }), 1);
    expect(decisionAfter(first, facts({ reasons: [noRoom, { ...tooFew, message: 'other figures' }] }), 2)).toBe(first);
    expect(decisionAfter(first, facts({ reasons: [noRoom] }), 2)).toBe(first);
  });

  it('of what was declined once, and is reserved for now, says that something is at stake', () => {
    const declined = decisionAfter(undefined, facts({ reasons: [noRoom] }), 1);
    const unknown = { code: 'MarketUnknown', message: 'no answer' };
    expect(decisionAfter(declined, facts({ phase: undefined, reasons: [unknown] }), 2)).toMatchObject({
      phase: 'Reserved',
      reasons: [unknown],
      changedAt: 2,
      endedAt: undefined,
    });
  });

  it('changes where more is said, or something else', () => {
    const first = decisionAfter(undefined, facts({ reasons: [noRoom] }), 1);
    expect(decisionAfter(first, facts({ reasons: [noRoom, tooFew] }), 2)).toMatchObject({ reasons: [noRoom, tooFew], changedAt: 1 });
    expect(decisionAfter(first, facts({ reasons: [tooFew] }), 2).reasons).toEqual([tooFew]);
    expect(decisionAfter(first, facts({ reasons: [] }), 2).reasons).toEqual([]);
    expect(decisionAfter(first, facts({ phase: 'Lost', reasons: [] }), 2)).toMatchObject({ phase: 'Lost', reasons: [], endedAt: 2 });
  });

  it('is of a size that can be stored, whatever there is to say', () => {
    const many = Array.from({ length: 1_000 }, () => ({ code: 'NoRoom', message: 'x'.repeat(10_000) }));
    const { reasons } = decisionAfter(undefined, facts({ reasons: many }), 1);
    expect([reasons.length, reasons[0]?.message.length]).toEqual([20, 2_048]);
  });
});
