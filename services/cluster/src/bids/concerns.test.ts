import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { openTerms, sampleScale } from '../../test/bid-process.ts';
import { bookOf } from '../../test/sample-book.ts';
import { Gi, gpus, node, one } from '../../test/sample-facts.ts';
import { sampleOrder } from '../../test/sample-order.ts';
import { decideBy } from '../book/decide.ts';
import type { MarketOrder } from '../market/market.ts';
import { concernReasons, type ProviderTerms } from './concerns.ts';
import { consider } from './consider.ts';
import { scalePricing } from './price-scale.ts';

const codes = (order: Partial<MarketOrder>, terms: Partial<ProviderTerms> = {}) =>
  concernReasons(sampleOrder(order), { ...openTerms, ...terms }).map(({ code }) => code);
const requiring = (attributes: Record<string, string>, more: { all?: string[]; any?: string[] } = {}) => ({
  requirements: { attributes: new Map(Object.entries(attributes)), signedByAllOf: more.all ?? [], signedByAnyOf: more.any ?? [] },
});
const having = (attributes: Record<string, string>) => ({ attributes: new Map(Object.entries(attributes)) });

describe('whether an order concerns us', () => {
  it('asks for all attributes that it requires, a star standing for one part of a key', () => {
    const terms = having({ region: 'west', 'feature/a/b': 'true', 'tier/x': 'community' });
    expect(codes(requiring({ region: 'west' }), terms)).toEqual([]);
    expect(codes(requiring({ region: 'east', zone: '1' }), terms)).toEqual(['AttributeMissing', 'AttributeMissing']);
    expect(codes(requiring({ 'tier/*': 'community' }), terms)).toEqual([]);
    expect(codes(requiring({ 'tier/*': 'other' }), terms)).toEqual(['AttributeMissing']);
    expect(codes(requiring({ 'feature/*': 'true' }), terms)).toEqual(['AttributeMissing']);
  });

  it('wants the orders that it was told to want', () => {
    const orderAttributes = new Map([['region', 'west']]);
    expect(codes({}, { orderAttributes })).toEqual(['OrderAttributeMissing']);
    expect(codes(requiring({ region: 'west' }), { orderAttributes, ...having({ region: 'west' }) })).toEqual([]);
  });

  it('asks who has signed: all of those, and one of these', () => {
    const auditors = new Set(['a', 'b']);
    expect(codes(requiring({}, { all: ['a', 'b'], any: ['b', 'x'] }), { auditors })).toEqual([]);
    expect(codes(requiring({}, { all: ['a', 'x'], any: ['y'] }), { auditors })).toEqual(['AuditorMissing', 'AuditorMissing']);
  });

  it('asks who orders', () => {
    const of = (owner: string) => ({ order: { owner, dseq: 1n, gseq: 1, oseq: 1 } });
    expect(codes(of('bob'), { blockedOwners: ['b*'] })).toEqual(['OwnerBlocked']);
    expect(codes(of('alice'), { blockedOwners: ['b*', 'ali'], allowedOwners: ['alice'] })).toEqual([]);
    expect(codes(of('carol'), { allowedOwners: ['alice', 'akash1*'] })).toEqual(['OwnerNotAllowed']);
  });

  it('knows attributes by names of the network, and takes at most four volumes and a price above zero', () => {
    const volumes = (count: number) =>
      Array.from({ length: count }, (_, at) => ({ kind: 'ephemeral', name: `v${at}`, bytes: Gi }) as const);
    expect(codes({ request: one({ volumes: volumes(4) }) })).toEqual([]);
    expect(codes({ request: one({ volumes: volumes(5) }) })).toEqual(['TooManyVolumes']);
    for (const key of ['1st', 'a', 'a b', `a${'b'.repeat(128)}`])
      expect(codes(requiring({ [key]: 'x' }), having({ [key]: 'x' }))).toEqual(['OrderMalformed']);
    for (const amount of ['0', '0.0', '-1', '1e3', '']) expect(codes({ maxPrice: { denom: 'uakt', amount } })).toEqual(['OrderMalformed']);
  });

  it('holds orders to what the attributes say of cards and storage, where they say anything', () => {
    const cards = having({ 'capabilities/gpu/vendor/nvidia/model/a100/ram/80Gi': 'true' });
    const wants = (more: object) => ({ request: one({ gpus: { count: 1, wants: [{ vendor: 'nvidia', model: 'a100', ...more }] } }) });
    expect(codes(wants({}), cards)).toEqual([]);
    expect(codes(wants({ memoryBytes: 80 * Gi }), cards)).toEqual([]);
    expect(codes(wants({ memoryBytes: 40 * Gi }), cards)).toEqual(['GpuNotOffered']);
    expect(codes({ request: one({ gpus: gpus(1, 't4') }) }, cards)).toEqual(['GpuNotOffered']);
    expect(codes({ request: one({ gpus: gpus(1, 't4') }) })).toEqual([]);
    const slots = having({ 'capabilities/gpu/vendor/nvidia/model/a100/interface/sxm4': 'true' });
    expect(['sxm', 'pcie'].map((form) => codes(wants({ interface: form }), slots))).toEqual([[], ['GpuNotOffered']]);
    const none = { attributes: new Map([...slots.attributes, ['capabilities/gpu/vendor/nvidia/model/t4', 'false']]) };
    expect(codes({ request: one({ gpus: gpus(1, 't4') }) }, none)).toEqual(['GpuNotOffered']);
    const storage = having({
      'capabilities/storage/1/class': 'beta3',
      'capabilities/storage/1/persistent': 'true',
      'capabilities/storage/2/class': 'beta1',
    });
    const volume = (name: string) => ({ request: one({ volumes: [{ kind: 'persistent', name: 'data', class: name, bytes: Gi }] }) });
    expect(codes(volume('beta3'), storage)).toEqual([]);
    expect(codes(volume('beta1'), storage)).toEqual(['StorageNotOffered']);
    expect(codes(volume('beta1'))).toEqual([]);
  });

  it('wants a denom that a program can be told', () => {
    for (const denom of ['', 'u akt', 'uakt\nX=1', `a${'b'.repeat(128)}`])
      expect(codes({ maxPrice: { denom, amount: '1' } })).toEqual(['OrderMalformed']);
  });

  it('lets a group pay what 50 of the dearest units may cost', () => {
    expect(codes({ maxPrice: { denom: 'uakt', amount: '500000000' } })).toEqual([]);
    expect(codes({ maxPrice: { denom: 'uakt', amount: '500000000.1' } })).toEqual(['OrderMalformed']);
  });

  it('says everything that is wrong', () => {
    const order = {
      ...requiring({ region: 'x' }, { all: ['a'] }),
      request: one({ cpuMillis: 1 }),
      maxPrice: { denom: 'uakt', amount: '500000001' },
    };
    expect(codes(order, { blockedOwners: ['*'] })).toEqual([
      'OwnerBlocked',
      'OrderMalformed',
      'OrderMalformed',
      'AttributeMissing',
      'AuditorMissing',
    ]);
  });
});

const odd = fc.oneof(fc.string(), fc.constantFrom('', '*', '\u0000', '-1', '1e9', 'NaN', '../../x', '\ud800', '9'.repeat(300)));
const number = fc.oneof(fc.integer(), fc.double(), fc.constantFrom(0, -1, Number.NaN, Infinity, 2 ** 53, 2 ** 70));
const malformed: fc.Arbitrary<MarketOrder> = fc.record({
  order: fc.record({
    owner: fc.string({ minLength: 1 }),
    dseq: fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
    gseq: fc.nat(),
    oseq: fc.nat(),
  }),
  request: fc.record({
    units: fc.array(
      fc.record({
        ...{ id: number, count: number, cpuMillis: number, memoryBytes: number, randomPorts: fc.oneof(fc.constant(undefined), number) },
        gpus: fc.oneof(
          fc.constant(undefined),
          fc.record({ count: number, wants: fc.array(fc.record({ vendor: odd, model: odd, memoryBytes: number }), { maxLength: 3 }) }),
        ),
        volumes: fc.array(fc.record({ kind: fc.constantFrom('ephemeral', 'ram', 'persistent'), name: odd, bytes: number, class: odd }), {
          maxLength: 6,
        }),
        leasedIps: fc.oneof(fc.constant(undefined), fc.array(odd, { maxLength: 3 })),
      }),
      { maxLength: 3 },
    ),
  }),
  requirements: fc.record({
    attributes: fc.array(fc.tuple(odd, odd), { maxLength: 3 }).map((list) => new Map(list)),
    signedByAllOf: fc.array(odd, { maxLength: 2 }),
    signedByAnyOf: fc.array(odd, { maxLength: 2 }),
  }),
  maxPrice: fc.record({ denom: odd, amount: odd }),
  httpEndpoints: fc.constant(new Map()),
  createdAt: number,
});

describe('orders of any shape', () => {
  it('are declined with a reason each, and reserve nothing', async () => {
    const decide = decideBy(bookOf([node('n1')]));
    const reserve = async (): Promise<never> => {
      throw new Error('something was reserved');
    };
    const reserver = { reserve, unreserve: reserve, activate: reserve };
    const options = { terms: () => openTerms, decide, pricing: scalePricing(sampleScale, 18) };
    await fc.assert(
      fc.asyncProperty(malformed, async (order) => {
        const considered = await consider(options, reserver, order, new AbortController().signal);
        expect(considered.kind).toBe('declined');
        if (considered.kind === 'declined')
          expect(considered.reasons.every(({ code, message }) => code !== '' && message !== '')).toBe(true);
        if (considered.kind === 'declined') expect(considered.reasons.length).toBeGreaterThan(0);
      }),
      { numRuns: 10_000 },
    );
  }, 60_000);
});
