/** Random members of sample objects: from few values, so that comparisons hold often, and from those at the edges of their types. */
import fc from 'fast-check';

export const texts = [
  '',
  'a',
  'b',
  'ab',
  'A',
  'a%b',
  'a_b',
  'a\\b',
  "it's",
  'é',
  '\u{ffee}',
  '\u{1f600}',
  '12',
  '-7',
  '1.5',
  ' ',
  'a\nb',
  '{"x":1}',
  '9999999999999999999',
];
export const keys = ['a', 'b', 'k-1', 'é', 'a.b', ''];
export const ints = [0n, 1n, 2n, -1n, 7n, 1_000_000n, 2n ** 53n + 1n, 2n ** 63n - 1n, -(2n ** 63n)];
export const doubles = [0, 1, 1.5, -1, 0.1, 1e300, 1e-300, 5e-324, 1.7976931348623157e308, 9_007_199_254_740_992, 2 ** 63];
const strangeDoubles = [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, -0];

const text = fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...texts) }, fc.string({ unit: 'binary', maxLength: 6 }).map(storable));
const key = fc.constantFrom(...keys);
const int32 = fc.oneof(fc.constantFrom(0, 1, 2, -1, 7), fc.integer());
const int64 = fc.oneof(fc.constantFrom(...ints), fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }));
const uint64 = fc.oneof(fc.constantFrom(0n, 1n, 2n, 2n ** 64n - 1n, 2n ** 63n), fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }));
const double = fc.oneof(fc.constantFrom(...doubles), fc.constantFrom(...strangeDoubles), fc.double());
const bytes = fc.oneof(
  fc.constantFrom(new Uint8Array(), new Uint8Array([0x61]), new Uint8Array([0, 255])),
  fc.uint8Array({ maxLength: 100 }),
);
const state = fc.constantFrom(0, 1, 2, -5, 99);
const timestamp = fc.record({
  seconds: fc.oneof(fc.constantFrom(0n, 1n, -1n, 1_767_225_600n), fc.bigInt({ min: -62_135_596_800n, max: 253_402_300_799n })),
  nanos: fc.oneof(fc.constantFrom(0, 1000, 999, 1, 999_999_999), fc.integer({ min: 0, max: 999_999_999 })),
});
const duration = fc.oneof(
  fc.constantFrom({ seconds: 0n, nanos: 0 }, { seconds: 3600n, nanos: 0 }, { seconds: -1n, nanos: -500_000_001 }),
  fc.record({ seconds: fc.bigInt({ min: 0n, max: 315_576_000_000n }), nanos: fc.integer({ min: 0, max: 999_999_999 }) }),
);
const child = fc.record(
  {
    title: text,
    size: int32,
    ratio: double,
    tags: fc.array(text, { maxLength: 3 }),
    notes: fc.dictionary(key, text, { maxKeys: 3 }),
    child: fc.record({ title: text, size: int32 }, { requiredKeys: [] }),
  },
  { requiredKeys: [] },
);

const metadata = fc.record(
  {
    name: text,
    version: int64,
    creationTimestamp: timestamp,
    deletionTimestamp: timestamp,
    tenants: fc.array(text, { maxLength: 3 }),
    labels: fc.dictionary(key, text, { maxKeys: 3 }),
  },
  { requiredKeys: ['creationTimestamp'] },
);

const spec = fc.record(
  {
    title: text,
    class: text,
    count: int32,
    big: int64,
    zigzag: int64,
    small: fc.nat(),
    huge: uint64,
    ratio: double,
    score: double,
    single: double.map(Math.fround),
    flag: fc.boolean(),
    marked: fc.boolean(),
    blob: bytes,
    state,
    at: timestamp,
    lasting: duration,
    child,
    payload: fc.constant({ typeUrl: 'x/y', value: new Uint8Array([1]) }),
    wrappedText: text,
    wrappedCount: int64,
    maybeText: text,
    maybeCount: int64,
    choice: fc.oneof(
      fc.constant({ case: undefined }),
      text.map((value) => ({ case: 'chosenText', value })),
      child.map((value) => ({ case: 'chosenChild', value })),
    ),
    texts: fc.array(text, { maxLength: 3 }),
    numbers: fc.array(int64, { maxLength: 3 }),
    ratios: fc.array(double, { maxLength: 3 }),
    blobs: fc.array(bytes, { maxLength: 3 }),
    states: fc.array(state, { maxLength: 3 }),
    moments: fc.array(timestamp, { maxLength: 3 }),
    children: fc.array(child, { maxLength: 3 }),
    notes: fc.dictionary(key, text, { maxKeys: 3 }),
    counts: fc.dictionary(fc.constantFrom('0', '1', '-1', '7'), int32, { maxKeys: 3 }),
    switches: fc.dictionary(fc.constantFrom('true', 'false'), double, { maxKeys: 2 }),
    groups: fc.dictionary(key, child, { maxKeys: 3 }),
  },
  { requiredKeys: [] },
);

/** Members of a sample object without its id. */
export const members = fc.record({ metadata, spec }, { requiredKeys: ['metadata'] });

function storable(value: string): string {
  return value.replaceAll('\0', '').toWellFormed();
}
