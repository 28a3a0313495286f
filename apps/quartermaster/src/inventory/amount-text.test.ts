import { create } from '@bufbuild/protobuf';
import { AmountSchema } from '@quartermaster/api/inventory';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { partText, quantityText, sizeText, tripleText } from './amount-text.ts';

const gib = 1024n ** 3n;
const natural = { exact: false };
const exact = { exact: true };
const amount = (capacity: bigint, allocatable: bigint, allocated: bigint) =>
  create(AmountSchema, {
    capacity,
    allocatable,
    allocated,
    available: allocatable > allocated ? allocatable - allocated : 0n,
    overcommitted: allocated > allocatable ? allocated - allocatable : 0n,
  });

describe('quantityText', () => {
  it.each([
    [0n, 'bytes', '0 B'],
    [1023n, 'bytes', '1023 B'],
    [5n * gib + gib / 5n, 'bytes', '5.2 GiB'],
    [1024n * gib - 1n, 'bytes', '1 TiB'],
    [2n ** 62n, 'bytes', '4 EiB'],
    [250n, 'millicores', '0.25'],
    [7_500n, 'millicores', '7.5'],
    [96_000n, 'millicores', '96'],
    [8n, 'devices', '8'],
  ] as const)('%d %s reads %s', (value, unit, text) => {
    expect(quantityText(value, unit, natural)).toBe(text);
  });

  it('is the integer where exactness is asked for', () => {
    expect(quantityText(2n ** 62n + 1n, 'bytes', exact)).toBe('4611686018427387905');
  });
});

describe('partText', () => {
  it('puts both in the unit of the larger', () => {
    expect(partText(5325n * gib, 8192n * gib, 'bytes', natural)).toBe('5.2 of 8 TiB');
    expect(partText(312n, 640n, 'devices', natural)).toBe('312 of 640');
  });
});

describe('tripleText', () => {
  it('is total, allocated and free', () => {
    expect(tripleText(amount(96_000n, 96_000n, 12_500n), 'millicores', natural)).toBe('96/12.5/83.5');
    expect(tripleText(amount(512n * gib, 503n * gib, 120n * gib), 'bytes', natural)).toBe('512/120/383 GiB');
    expect(tripleText(amount(8n, 7n, 3n), 'devices', natural)).toBe('8/3/4');
  });

  it('names what is promised beyond what there is', () => {
    expect(tripleText(amount(16_000n, 16_000n, 20_000n), 'millicores', natural)).toBe('16/20/0 (4 over)');
  });

  it('does not claim to know what is left on something silent, or anything about what was never read', () => {
    expect(tripleText(amount(64n * gib, 60n * gib, 2n * gib), 'bytes', { exact: false, isKnown: false })).toBe('64/2/? GiB');
    expect(tripleText(undefined, 'bytes', natural)).toBe('?');
  });

  it('shows no negative number and no zero for unknown, whatever the amounts', () => {
    const big = fc.bigInt({ min: 0n, max: 2n ** 63n - 1n });
    fc.assert(
      fc.property(big, big, big, fc.boolean(), fc.constantFrom('millicores' as const, 'bytes' as const), (a, b, c, isExact, unit) => {
        const text = tripleText(amount(a, b, c), unit, { exact: isExact });
        expect(text).not.toMatch(/-|NaN|Infinity|undefined/);
        expect(text.split(' ')[0]?.split('/')).toHaveLength(3);
      }),
    );
  });
});

it('takes a size of 0 for the unknown that it stands for', () => {
  expect(sizeText(0n, natural)).toBe('?');
  expect(sizeText(80n * gib, natural)).toBe('80 GiB');
});
