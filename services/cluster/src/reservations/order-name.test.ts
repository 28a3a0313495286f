import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { OrderId } from '../model/order.ts';
import { orderName } from './order-name.ts';

const seq = fc.oneof(fc.nat(3), fc.integer({ min: 0, max: 2 ** 32 - 1 }));
const owner = fc.oneof(
  fc.constantFrom('akash1x', 'akash1x-1', 'a-1-1', 'a', 'A', 'x', 'x.', '1', '-', 'a-', '\uD800', '\uDC00'),
  fc.string({ minLength: 1, maxLength: 256, unit: 'binary' }),
  fc.string({ minLength: 1, maxLength: 12, unit: fc.constantFrom('a', '1', '-', '.') }),
);
const order: fc.Arbitrary<OrderId> = fc.record({
  owner,
  dseq: fc.oneof(fc.bigInt(0n, 3n), fc.bigInt(0n, 2n ** 64n - 1n)),
  gseq: seq,
  oseq: seq,
});
const textOf = ({ owner: who, dseq, gseq, oseq }: OrderId): string => JSON.stringify([who, dseq.toString(), gseq, oseq]);

describe('the name of an order', () => {
  it('is what people know it by', () => {
    const account = `akash1${'q'.repeat(38)}`;
    const name = orderName({ owner: account, dseq: 12_345_678n, gseq: 1, oseq: 1 });
    expect(name).toBe(`${account}-12345678-1-1`);
    expect(name.length).toBeLessThanOrEqual(63);
  });

  it('is shortened and gets a hash where the owner is no name', () => {
    const [upper, lower] = ['Provider One', 'provider one'].map((who) => orderName({ owner: who, dseq: 1n, gseq: 1, oseq: 1 }));
    expect(upper).toMatch(/^providerone\.[0-9a-f]{40}-1-1-1$/);
    expect(lower).not.toBe(upper);
  });

  it('can be the name of an object, whatever the order', () => {
    fc.assert(
      fc.property(order, (each) => {
        const name = orderName(each);
        expect(name.length).toBeLessThanOrEqual(253);
        expect(name).toMatch(/^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/);
      }),
      { numRuns: 2_000 },
    );
  });

  it('is that of no other order', () => {
    fc.assert(
      fc.property(fc.array(order, { minLength: 2, maxLength: 40 }), (orders) => {
        const names = new Set(orders.map(orderName));
        expect(names.size).toBe(new Set(orders.map(textOf)).size);
      }),
      { numRuns: 1_000 },
    );
  });
});
