import { expect, it } from 'vitest';
import { bidIdOf, orderIdOf, parseBidId, required } from './order-id.ts';

const order = { owner: 'acme', dseq: 18446744073709551n, gseq: 2, oseq: 3 };

it('makes ids of numbers, and reads them back, whatever the provider is called', () => {
  for (const provider of ['p', 'a-b-1-2', '7-8-9', 'akash1xyz']) {
    expect(parseBidId(bidIdOf(order, provider))).toEqual({ deployment: String(order.dseq), order: orderIdOf(order), provider });
  }
});

it.each(['', '1', '1-1-1', '1-1-1-', 'a-1-1-p', '1--1-p', `${'9'.repeat(21)}-1-1-p`])('takes %j for no id of a bid', (id) => {
  expect(parseBidId(id)).toBeUndefined();
});

it.each([undefined, { ...order, dseq: 0n }, { ...order, dseq: 2n ** 63n }, { ...order, gseq: 0 }, { ...order, oseq: 0 }])(
  'refuses what names no order',
  (named) => {
    expect(() => required(named)).toThrow('field "order": must be given');
  },
);
