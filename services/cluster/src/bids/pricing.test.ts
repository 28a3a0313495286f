import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sampleScale } from '../../test/bid-process.ts';
import { planOn } from '../../test/sample-book.ts';
import { a100, claims, Gi, gpus, node, one, plugin, t4 } from '../../test/sample-facts.ts';
import { sampleOrder } from '../../test/sample-order.ts';
import type { MarketOrder } from '../market/market.ts';
import { formatDecimal, parseDecimal, roundUp } from '../model/decimal.ts';
import type { Unit } from '../placement/request.ts';
import { type PriceScale, quoteByScale } from './price-scale.ts';

const decimal = (text: string): bigint => parseDecimal(text) ?? 0n;
const nodes = [node('n1', { cards: claims([a100, 8, 8], [t4, 8, 8]), storageClasses: ['beta3'], cpuMillis: 64_000 })];
const classes = [{ name: 'beta3', freeBytes: 100 * Gi }];

function quoteOf(unit: Partial<Unit>, scale: Partial<PriceScale> = {}, order: Partial<MarketOrder> = {}, digits = 18, on = nodes) {
  const request = one(unit);
  return quoteByScale({ ...sampleScale, ...scale }, sampleOrder({ request, ...order }), planOn(on, request, classes), digits);
}

const amountOf = (quoted: ReturnType<typeof quoteOf>): string => {
  if (quoted.kind === 'no-price') throw new Error(JSON.stringify(quoted.reasons));
  return quoted.quote.price.amount;
};

describe('decimals', () => {
  it('are exact, whatever they are', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 10n ** 57n }), (value) => {
        expect(parseDecimal(formatDecimal(value))).toBe(value);
      }),
      { numRuns: 500 },
    );
    expect(['1', '0.5', '007', '1.10'].map((text) => formatDecimal(decimal(text)))).toEqual(['1', '0.5', '7', '1.1']);
  });

  it('are not what is none', () => {
    for (const text of ['', '-1', '+1', '1e3', '.5', '5.', '1,5', ' 1', '0x1', 'NaN', `0.${'1'.repeat(19)}`, '1'.repeat(41)])
      expect(parseDecimal(text)).toBeUndefined();
  });

  it('are rounded up, never down', () => {
    expect(formatDecimal(roundUp(decimal('1.000000000000000001'), 6))).toBe('1.000001');
    expect(formatDecimal(roundUp(decimal('1.5'), 0))).toBe('2');
  });
});

describe('a scale of prices', () => {
  it('adds up what each replica takes, times how many there are', () => {
    const volumes = [
      { kind: 'persistent', name: 'data', class: 'beta3', bytes: Gi },
      { kind: 'ephemeral', name: 'tmp', bytes: Gi },
      { kind: 'ram', name: 'shm', bytes: Gi },
    ] as const;
    const storage = new Map([
      ['default', decimal('1')],
      ['beta3', decimal('2')],
      ['ram', decimal('3')],
    ]);
    const zero = { cpu: 0n, memory: 0n, storage: new Map(), gpu: new Map([['*', 0n]]), endpoint: 0n, ip: 0n };
    const most = { maxPrice: { denom: 'uakt', amount: '1000000' } };
    expect(amountOf(quoteOf({ count: 3, cpuMillis: 100 }, { ...zero, cpu: decimal('0.5') }))).toBe('150');
    expect(amountOf(quoteOf({ count: 2 }, { ...zero, memory: decimal('0.25') }))).toBe('512');
    expect(amountOf(quoteOf({ volumes, count: 2 }, { ...zero, storage }, most))).toBe(String(2 * 1024 * (2 + 1 + 3)));
    expect(amountOf(quoteOf({ count: 2, gpus: gpus(2, 'a100') }, { ...zero, gpu: new Map([['nvidia/a100', decimal('7')]]) }))).toBe('28');
    const endpoints = { httpEndpoints: new Map([[1, 2]]) };
    expect(
      amountOf(quoteOf({ count: 5, randomPorts: 1, leasedIps: ['a'] }, { ...zero, endpoint: decimal('1'), ip: decimal('10') }, endpoints)),
    ).toBe('14');
  });

  it('prices the cards that the order would get, the dearest where nobody can say which', () => {
    const gpu = new Map([
      ['nvidia/a100', decimal('100')],
      ['nvidia/*', decimal('10')],
    ]);
    const bare = { cpu: 0n, memory: 0n, gpu };
    expect(amountOf(quoteOf({ gpus: gpus(1, 't4') }, bare))).toBe('10');
    expect(amountOf(quoteOf({ gpus: gpus(1, 'a100') }, bare))).toBe('100');
    const either = [node('n1', { cards: plugin(4, 4, a100, t4) })];
    expect(amountOf(quoteOf({ gpus: gpus(1, 'a100', 't4') }, bare, {}, 18, either))).toBe('100');
    expect(quoteOf({ gpus: gpus(1, 't4') }, { gpu: new Map([['amd/*', 1n]]) })).toMatchObject({ reasons: [{ code: 'NoGpuPrice' }] });
  });

  it('makes no bid above what the order pays, in another denom, or for nothing', () => {
    expect(quoteOf({}, {}, { maxPrice: { denom: 'uakt', amount: '3.047999999999999999' } })).toMatchObject({
      reasons: [{ code: 'PriceTooLow' }],
    });
    expect(amountOf(quoteOf({}, {}, { maxPrice: { denom: 'uakt', amount: '3.048' } }))).toBe('3.048');
    expect(quoteOf({}, {}, { maxPrice: { denom: 'usd', amount: '100' } })).toMatchObject({ reasons: [{ code: 'DenomNotOffered' }] });
    expect(quoteOf({}, { cpu: 0n, memory: 0n })).toMatchObject({ reasons: [{ code: 'NoPrice' }] });
  });

  it('is rounded once, up', () => {
    fc.assert(
      fc.property(
        fc.nat(10 ** 9),
        fc.nat(10 ** 9),
        fc.integer({ min: 1, max: 2 ** 31 }),
        fc.integer({ min: 0, max: 18 }),
        (cpu, memory, odd, digits) => {
          const quoted = quoteOf(
            { memoryBytes: Gi + odd },
            { cpu: BigInt(cpu) + 1n, memory: BigInt(memory) },
            { maxPrice: { denom: 'uakt', amount: '10000000' } },
            digits,
          );
          if (quoted.kind === 'no-price') throw new Error('has no price');
          const exact = (BigInt(cpu) + 1n) * 1000n * 2n ** 20n + BigInt(memory) * BigInt(Gi + odd);
          const amount = decimal(quoted.quote.price.amount);
          expect(amount * 2n ** 20n >= exact).toBe(true);
          expect((amount - 10n ** BigInt(18 - digits)) * 2n ** 20n < exact).toBe(true);
        },
      ),
      { numRuns: 200 },
    );
  });
});
