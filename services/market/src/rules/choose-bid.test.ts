import { create } from '@bufbuild/protobuf';
import { timestampFromMs } from '@bufbuild/protobuf/wkt';
import { type Bid, BidSchema } from '@quartermaster/api/market';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { chooseBid } from './choose-bid.ts';

const bid = (provider: string, amount: string, at: number): Bid =>
  create(BidSchema, {
    id: `1-1-1-${provider}`,
    metadata: { creationTimestamp: timestampFromMs(at) },
    spec: { provider, price: { denom: 'uakt', amount } },
  });
const chosen = (bids: readonly Bid[], ...passedOver: readonly string[]) => chooseBid(bids, new Set(passedOver))?.spec?.provider;

it('is the cheapest by its amount, not by its text', () => {
  expect(chosen([bid('a', '10', 1), bid('b', '9.5', 2), bid('c', '9.50', 3)])).toBe('b');
});

it('passes over providers that left, and is none where nobody else bids', () => {
  expect(chosen([bid('a', '1', 1), bid('b', '2', 2)], 'a')).toBe('b');
  expect(chosen([bid('a', '1', 1)], 'a')).toBeUndefined();
  expect(chosen([])).toBeUndefined();
});

it('is the same in whatever order the bids come', () => {
  const bids = fc.uniqueArray(fc.tuple(fc.stringMatching(/^[a-z]{1,3}$/), fc.integer({ min: 1, max: 3 }), fc.integer({ min: 1, max: 3 })), {
    minLength: 1,
    selector: ([provider]) => provider,
  });
  fc.assert(
    fc.property(bids, fc.infiniteStream(fc.nat()), (all, random) => {
      const made = all.map(([provider, amount, at]) => bid(provider, String(amount), at));
      const shuffled = made.map((each) => ({ each, key: random.next().value })).toSorted((a, b) => a.key - b.key);
      expect(chosen(shuffled.map(({ each }) => each))).toBe(chosen(made));
    }),
  );
});
