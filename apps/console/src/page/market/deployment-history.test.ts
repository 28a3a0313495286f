import { expect, it } from 'vitest';
import { deploymentHistory } from './deployment-history.ts';

const at = (second: number): string => `2026-01-01T00:00:0${second}Z`;
const metadata = (second: number) => ({ name: '', tenants: ['acme'], creators: ['alice'], version: '1', creation_timestamp: at(second) });
const order = { owner: 'acme', dseq: '7', gseq: 1, oseq: 1 };
const price = { denom: 'uakt', amount: '100' };
const status = (state: string) => ({ state, closed_reason: '' });

it('tells what became of a deployment, the newest first, with the reasons', () => {
  const lines = deploymentHistory(
    { id: '7', metadata: metadata(1) },
    [{ id: '7-1-1', metadata: metadata(2), spec: { order, group_name: 'eu' }, status: { ...status('ORDER_STATE_ACTIVE'), bids: 2 } }],
    [
      { id: '7-1-1-p', metadata: metadata(3), spec: { order, provider: 'p', price, offer: [] }, status: status('BID_STATE_ACTIVE') },
      {
        id: '7-1-1-q',
        metadata: metadata(4),
        spec: { order, provider: 'q', offer: [] },
        status: { state: 'BID_STATE_LOST', closed_at: at(6), closed_reason: 'another bid was accepted' },
      },
    ],
    [
      {
        id: '7-1-1-p',
        metadata: metadata(5),
        spec: { order, provider: 'p', price, group_name: 'eu' },
        status: status('LEASE_STATE_ACTIVE'),
      },
    ],
  );
  expect(lines.map(({ text }) => text)).toEqual([
    'The bid of q was lost: another bid was accepted.',
    'p has the lease for 43.83 AKT per month.',
    'q withdrew before it bid.',
    'p bid 43.83 AKT per month.',
    'Order 7-1-1 of eu was opened.',
    'Deployed by alice.',
  ]);
});
