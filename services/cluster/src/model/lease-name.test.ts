import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { leaseNamespace } from './lease-name.ts';
import type { OrderId } from './order.ts';

const seq = fc.oneof(fc.nat(3), fc.integer({ min: 0, max: 2 ** 32 - 1 }), fc.constant(2 ** 32 - 1));
const owner = fc.oneof(
  fc.constantFrom('akash1x', 'akash1x-1', 'a-1-1', 'a', 'A', 'x', '', '-', 'a-', '\uD800', '\uDC00', `akash1${'q'.repeat(38)}`),
  fc.string({ maxLength: 256, unit: 'binary' }),
  fc.string({ minLength: 1, maxLength: 12, unit: fc.constantFrom('a', '1', '-', '.') }),
  fc.string({ minLength: 30, maxLength: 60, unit: fc.constantFrom('a', 'A') }),
);
const order: fc.Arbitrary<OrderId> = fc.record({
  owner,
  dseq: fc.oneof(fc.bigInt(0n, 3n), fc.bigInt(0n, 2n ** 64n - 1n), fc.constant(2n ** 64n - 1n)),
  gseq: seq,
  oseq: seq,
});
const textOf = ({ owner: who, dseq, gseq, oseq }: OrderId): string => JSON.stringify([who, dseq.toString(), gseq, oseq]);

describe('the namespace of a lease', () => {
  it('has the id of the lease in its name', () => {
    const account = `akash1${'q'.repeat(38)}`;
    const name = leaseNamespace({ owner: account, dseq: 12_345_678n, gseq: 1, oseq: 1 });
    expect(name).toBe(`lease-${account}-12345678-1-1`);
    expect(name).toHaveLength(63);
  });

  it('has a shortened owner and a hash where the id is too long, or no name', () => {
    const account = `akash1${'q'.repeat(38)}`;
    expect(leaseNamespace({ owner: account, dseq: 123_456_789n, gseq: 1, oseq: 1 })).toMatch(
      /^lease-akash1q{16}-123456789-1-1-[0-9a-z]{20}$/,
    );
    expect(leaseNamespace({ owner: 'Ada Lovelace', dseq: 1n, gseq: 2, oseq: 3 })).toMatch(/^lease-adalovelace-1-2-3-[0-9a-z]{20}$/);
    const max = 2 ** 32 - 1;
    expect(leaseNamespace({ owner: '世界', dseq: 2n ** 64n - 1n, gseq: max, oseq: max })).toMatch(
      new RegExp(`^lease-x-${2n ** 64n - 1n}-${max}-${max}-[0-9a-z]{12}$`),
    );
  });

  it('has a name that a namespace can have, whatever the order', () => {
    fc.assert(
      fc.property(order, (each) => {
        const name = leaseNamespace(each);
        expect(name).toMatch(/^lease-[-a-z0-9]*[a-z0-9]$/);
        expect(name.length).toBeLessThanOrEqual(63);
      }),
      { numRuns: 1_000 },
    );
  });

  it('is that of no other order, also where the name of the one looks like that of the other', () => {
    const twin: fc.Arbitrary<readonly OrderId[]> = order.map((each) => [
      each,
      { ...each, owner: each.owner.toUpperCase() },
      { ...each, owner: leaseNamespace(each).slice('lease-'.length).split('-').slice(0, -3).join('-') },
    ]);
    fc.assert(
      fc.property(fc.array(twin, { minLength: 1, maxLength: 10 }), (twins) => {
        const orders = twins.flat();
        expect(new Set(orders.map(leaseNamespace)).size).toBe(new Set(orders.map(textOf)).size);
      }),
      { numRuns: 300 },
    );
  });
});
