import { create, toBinary } from '@bufbuild/protobuf';
import { TimestampSchema } from '@bufbuild/protobuf/wkt';
import { LeaseDeliverySchema } from '@quartermaster/api/market';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { boundedDelivery, deliveryViolations, isSameDelivery, isTurn } from './delivery-rules.ts';

/** Most of them may be taken, so that their bounds count: what is odd of others is in other tests. */
const deliveries = fc
  .record({
    state: mostly(['Pending', 'Active', 'Error', 'Complete'], 'Odd'),
    health: mostly(['starting', 'healthy', 'unhealthy', 'unknown', 'none'], ''),
    reason: mostly(['', 'Unhealthy'], 'not one word'),
    message: fc.string({ unit: 'grapheme', maxLength: 3_000, size: 'max' }),
    refusal: fc.string({ unit: 'grapheme', maxLength: 3_000, size: 'max' }),
    services: numberOf(70).chain((count) => fc.tuple(...Array.from({ length: count }, (_, index) => serviceOf(index)))),
  })
  .map((init) => create(LeaseDeliverySchema, init));

function mostly(valid: readonly string[], odd: string): fc.Arbitrary<string> {
  return fc.oneof({ weight: 20, arbitrary: fc.constantFrom(...valid) }, { weight: 1, arbitrary: fc.constant(odd) });
}

/** As often few as near the most. */
function numberOf(most: number): fc.Arbitrary<number> {
  return fc.oneof(fc.nat(2), fc.integer({ min: most - 10, max: most }));
}

/** One in a few has as much as it may have, or more: of sixty there is hardly one otherwise that can be taken. */
function serviceOf(index: number) {
  const count = (most: number): fc.Arbitrary<number> => (index === 0 ? numberOf(most) : fc.nat(2));
  return fc
    .tuple(count(105), count(25), fc.string({ unit: 'grapheme', maxLength: 1_500, size: 'max' }))
    .map(([uris, problems, problem]) => ({
      name: `s${index}`,
      uris: Array.from({ length: uris }, (_, at) => `http://h${at}.example.com`),
      problems: Array.from({ length: problems }, () => problem),
    }));
}

describe('a report', () => {
  it('that is taken is no larger than it may be', () => {
    fc.assert(
      fc.property(deliveries, (said) => {
        const bounded = boundedDelivery(said);
        if (deliveryViolations(bounded).length > 0) return;
        expect(bounded.services.length).toBeLessThanOrEqual(64);
        for (const { uris, problems } of bounded.services) {
          expect(uris.length).toBeLessThanOrEqual(100);
          expect(problems.length).toBeLessThanOrEqual(20);
        }
        for (const text of [bounded.message, bounded.refusal, ...bounded.services.flatMap(({ problems }) => problems)]) {
          expect(text.length).toBeLessThanOrEqual(1_000);
          expect(text.isWellFormed()).toBe(true);
        }
      }),
      // To make one of these smaller takes minutes, and tells no more.
      { endOnFailure: true },
    );
  });

  it('gives no orders to the terminal on which it is shown', () => {
    const orders = '\u001b]52;c;ZXZpbA==\u0007said\u001b[2J\nmore';
    const said = { state: 'Active', health: 'healthy', message: orders, refusal: orders };
    const { message, refusal, services } = boundedDelivery(
      create(LeaseDeliverySchema, { ...said, services: [{ name: 'web', problems: [orders] }] }),
    );
    expect([message, refusal, services[0]?.problems]).toEqual(['said more', 'said more', ['said more']]);
    const fieldsOf = (service: object) =>
      deliveryViolations(create(LeaseDeliverySchema, { ...said, services: [{ name: 'web', ...service }] })).map(({ field }) => field);
    expect(fieldsOf({})).toEqual([]);
    expect(fieldsOf({ name: 'web\u001b[2J' })).toEqual(['delivery.services.0.name']);
    expect(fieldsOf({ uris: ['\u202emoc.elpmaxe'] })).toEqual(['delivery.services.0.uris.0']);
  });

  it('is the same at whatever time it is made, and of anything else it is not', () => {
    fc.assert(
      fc.property(deliveries, deliveries, fc.nat(), (one, two, seconds) => {
        const later = create(LeaseDeliverySchema, { ...one, reportedAt: create(TimestampSchema, { seconds: BigInt(seconds) }) });
        expect(isSameDelivery(one, later)).toBe(true);
        const bytes = (each: typeof one): string => Buffer.from(toBinary(LeaseDeliverySchema, each)).toString('hex');
        expect(isSameDelivery(one, two)).toBe(bytes(one) === bytes(two));
        expect(isSameDelivery(undefined, one)).toBe(false);
        expect(isTurn(one, later)).toBe(false);
      }),
    );
  });

  it('has at most so many services, addresses and problems, and those that it has are counted', () => {
    const fieldsOf = (services: number, uris: number, problems: number) => {
      const service = (at: number) => ({ name: `s${at}`, uris: Array(uris).fill('u'), problems: Array(problems).fill('p') });
      const said = { state: 'Active', health: 'healthy', services: Array.from({ length: services }, (_, at) => service(at)) };
      return deliveryViolations(create(LeaseDeliverySchema, said)).map(({ field }) => field);
    };
    expect(fieldsOf(64, 100, 20)).toEqual([]);
    expect(fieldsOf(65, 0, 0)).toEqual(['delivery.services']);
    expect(fieldsOf(1, 101, 0)).toEqual(['delivery.services.0.uris']);
    expect(fieldsOf(1, 0, 21)).toEqual(['delivery.services.0.problems']);
  });

  it.each([
    ['state', true],
    ['manifestHash', true],
    ['refusal', true],
    ['refusedHash', true],
    ['message', false],
    ['health', false],
    ['reason', false],
  ] as const)('with another %s is a turn: %s', (field, expected) => {
    const said = { state: 'Active', health: 'healthy', manifestHash: 'a', refusal: 'no', refusedHash: 'b', message: 'm', reason: 'R' };
    const before = create(LeaseDeliverySchema, said);
    expect(isTurn(before, create(LeaseDeliverySchema, { ...said, [field]: 'other' }))).toBe(expected);
    expect(isTurn(undefined, before)).toBe(true);
  });
});
