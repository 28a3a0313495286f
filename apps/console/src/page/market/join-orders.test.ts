import { expect, it } from 'vitest';
import { joinOrders } from './join-orders.ts';

const metadata = { name: '', tenants: [], version: '1' };
const numbers = (dseq: string, oseq = 1) => ({ owner: 'acme', dseq, gseq: 1, oseq });
const order = (dseq: string, oseq = 1) => ({ id: `${dseq}-1-${oseq}`, metadata, spec: { order: numbers(dseq, oseq), group_name: 'g' } });
const bid = { id: '9-1-1-p', metadata, spec: { order: numbers('9'), provider: 'p', offer: [] } };
const lease = { id: '10-1-1-p', metadata, spec: { order: numbers('10'), provider: 'p', group_name: 'g' } };

it('has one row for each order, whoever tells of it, the newest first', () => {
  const rows = joinOrders({
    orders: [order('9'), order('10', 2)],
    bids: [bid],
    leases: [lease],
    decisions: [
      { order: { owner: 'acme', dseq: '9', gseq: 1, oseq: 1 }, phase: 'BID_PHASE_BID' },
      { order: { owner: 'globex', dseq: '9', gseq: 1, oseq: 1 }, phase: 'BID_PHASE_LOST' },
    ],
  });
  expect(rows.map(({ numbers: { owner, dseq, oseq } }) => `${owner} ${dseq} ${oseq}`)).toEqual([
    'acme 10 2',
    'acme 10 1',
    'acme 9 1',
    'globex 9 1',
  ]);
  expect(rows[1]).toEqual({ numbers: numbers('10'), lease });
  expect(rows[2]).toMatchObject({ order: { id: '9-1-1' }, bid, decision: { phase: 'BID_PHASE_BID' } });
});
