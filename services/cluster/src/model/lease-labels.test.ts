import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { LeaseId } from './lease.ts';
import { claimedOrders, leaseAnnotations, leasedOrderOf, leaseKey, leaseKeys, leaseLabels, leaseOf } from './lease-labels.ts';

const account = fc.oneof(
  fc.constantFrom('akash1x', 'A.b_c-d', '-', 'a-', '世界', 'x'.repeat(63), 'x'.repeat(64)),
  fc.string({ minLength: 1, maxLength: 256, unit: 'binary' }),
);
const seq = fc.integer({ min: 0, max: 2 ** 32 - 1 });
const lease: fc.Arbitrary<LeaseId> = fc.record({
  owner: account,
  dseq: fc.bigInt(0n, 2n ** 64n - 1n),
  gseq: seq,
  oseq: seq,
  provider: account,
});
const plain: LeaseId = { owner: 'akash1x', dseq: 7n, gseq: 1, oseq: 2, provider: 'akash1p' };
const metadataOf = (id: LeaseId) => ({ labels: leaseLabels(id), annotations: leaseAnnotations(id) });

describe('the labels of a lease', () => {
  it('hold its id', () => {
    expect(leaseLabels(plain)).toEqual({
      'akash.network/lease.id.owner': 'akash1x',
      'akash.network/lease.id.dseq': '7',
      'akash.network/lease.id.gseq': '1',
      'akash.network/lease.id.oseq': '2',
      'akash.network/lease.id.provider': 'akash1p',
    });
    expect(leaseAnnotations(plain)).toEqual(leaseLabels(plain));
  });

  it('are valid whatever the accounts are called, and name the lease with the annotations', () => {
    fc.assert(
      fc.property(lease, (id) => {
        for (const value of Object.values(leaseLabels(id))) expect(value).toMatch(/^[A-Za-z0-9](?:[-_.A-Za-z0-9]{0,61}[A-Za-z0-9])?$/);
        expect(leaseOf(metadataOf(id))).toEqual(id);
      }),
      { numRuns: 1_000 },
    );
  });

  it('tell accounts apart that differ in what a label cannot hold', () => {
    expect(leaseLabels({ ...plain, owner: 'a b' })).not.toEqual(leaseLabels({ ...plain, owner: 'ab' }));
    expect(leaseLabels({ ...plain, owner: 'a b' })).not.toEqual(leaseLabels({ ...plain, owner: 'a/b' }));
  });
});

describe('the lease that an object is of', () => {
  it('is what the labels say where there are no annotations', () => {
    expect(leaseOf({ labels: leaseLabels(plain) })).toEqual(plain);
    const { [leaseKey('provider')]: _, ...others } = leaseLabels(plain);
    expect(leaseOf({ labels: others })).toBeUndefined();
    expect(leasedOrderOf({ labels: others })).toEqual({ owner: 'akash1x', dseq: 7n, gseq: 1, oseq: 2 });
  });

  it.each([
    ['no metadata', undefined],
    ['no labels', {}],
    ['an empty owner', { labels: { ...leaseLabels(plain), [leaseKey('owner')]: '' } }],
    ['a number that is none', { labels: { ...leaseLabels(plain), [leaseKey('dseq')]: '07' } }],
    ['a number that is too large', { labels: { ...leaseLabels(plain), [leaseKey('gseq')]: `${2 ** 32}` } }],
    ['a number of more than 64 bits', { labels: { ...leaseLabels(plain), [leaseKey('dseq')]: `${2n ** 64n}` } }],
  ])('is none with %s', (_, metadata) => {
    expect([leaseOf(metadata), leasedOrderOf(metadata)]).toEqual([undefined, undefined]);
  });

  it.each(leaseKeys)('is tampered with once the label or the annotation %s is changed or removed', (key) => {
    const { labels, annotations } = metadataOf(plain);
    const without = (texts: Readonly<Record<string, string>>) => Object.fromEntries(Object.entries(texts).filter(([each]) => each !== key));
    expect(leaseOf({ labels: { ...labels, [key]: '9' }, annotations })).toBe('tampered');
    expect(leaseOf({ labels, annotations: { ...annotations, [key]: '9' } })).toBe('tampered');
    expect(leaseOf({ labels: without(labels), annotations })).toBe('tampered');
    expect(leaseOf({ labels, annotations: without(annotations) })).toBe('tampered');
  });

  it('is claimed by labels and by annotations where they disagree', () => {
    const claims = claimedOrders({ labels: leaseLabels(plain), annotations: leaseAnnotations({ ...plain, dseq: 8n }) });
    expect(claims.map(({ dseq }) => dseq)).toEqual([7n, 8n]);
    expect(claimedOrders({ labels: leaseLabels(plain) })).toHaveLength(1);
  });
});
