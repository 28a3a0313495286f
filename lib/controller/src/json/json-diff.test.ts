import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { diffJson, formatPath } from './json-diff.ts';
import { jsonEqual } from './json-equal.ts';
import { mergePatch } from './merge-patch.ts';

const lines = (before: unknown, after: unknown) => diffJson(before, after).map((change) => `${change.kind} ${formatPath(change.path)}`);
const clone = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

/** Small values over few names, so that two of them often share structure. */
const json = fc.letrec<{ value: unknown; item: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom(null, true, 0, 1, 'x', 'y'),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.array(tie('item'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom('a', 'b', 'name', '__proto__', 'constructor'), tie('value'), { maxKeys: 3 }),
  ),
  item: fc.record({ name: fc.constantFrom('one', 'two', 'three', 4), value: tie('value') }),
})).value;

describe('diffJson', () => {
  it('is empty exactly when the values are equal', () => {
    fc.assert(
      fc.property(json, json, (a, b) => {
        expect(diffJson(a, b).length === 0).toBe(jsonEqual(a, b));
        expect(diffJson(a, clone(a))).toEqual([]);
      }),
      { numRuns: 500 },
    );
  });

  it('tells which fields were added, removed and changed', () => {
    const before = { spec: { replicas: 1, paused: true, strategy: { type: 'A' } } };
    const after = { spec: { replicas: 3, strategy: { type: 'B' }, minReady: 5 } };
    expect(diffJson(before, after)).toEqual([
      { path: ['spec', 'replicas'], kind: 'changed', before: 1, after: 3 },
      { path: ['spec', 'paused'], kind: 'removed', before: true },
      { path: ['spec', 'strategy', 'type'], kind: 'changed', before: 'A', after: 'B' },
      { path: ['spec', 'minReady'], kind: 'added', after: 5 },
    ]);
  });

  it('compares lists of named items by name, so that an insertion is one change', () => {
    const before = { containers: [{ name: 'web', image: 'web:1' }] };
    const after = {
      containers: [
        { name: 'proxy', image: 'proxy:1' },
        { name: 'web', image: 'web:2' },
      ],
    };
    expect(lines(before, after)).toEqual(['changed containers[name=web].image', 'added containers[name=proxy]']);
    expect(lines({ containers: [] }, before)).toEqual(['added containers[name=web]']);
  });

  it('tells of a new order of named items', () => {
    const [a, b] = [{ name: 'a' }, { name: 'b' }];
    expect(diffJson([a, b], [b, a])).toEqual([{ path: [], kind: 'moved', before: ['a', 'b'], after: ['b', 'a'] }]);
  });

  it('compares other lists by position', () => {
    expect(lines({ args: ['-v', 'x'] }, { args: ['-v', 'y', 'z'] })).toEqual(['changed args[1]', 'added args[2]']);
    expect(lines([{ name: 'a' }, { name: 'a' }], [{ name: 'a' }])).toEqual(['removed [1]']);
  });
});

it('quotes names in a path that are not plain words', () => {
  expect(formatPath(['metadata', 'annotations', 'example.com/x', 0])).toBe('metadata.annotations["example.com/x"][0]');
});

it('takes an undefined field for an absent one and minds the order of lists', () => {
  expect(jsonEqual({ a: 1, b: undefined }, { a: 1 })).toBe(true);
  expect(jsonEqual({ a: 1 }, { a: 1, b: undefined })).toBe(true);
  expect(jsonEqual([1, 2], [2, 1])).toBe(false);
  expect(jsonEqual([], {})).toBe(false);
  expect(jsonEqual(null, {})).toBe(false);
  expect(jsonEqual({ constructor: Object }, {})).toBe(false);
});

/** RFC 7386, section 2. */
function applyMerge(target: unknown, patch: unknown): unknown {
  if (typeof patch !== 'object' || patch === null || Array.isArray(patch)) return patch;
  const isObject = typeof target === 'object' && target !== null && !Array.isArray(target);
  const result = new Map<string, unknown>(isObject ? Object.entries(target) : []);
  for (const [field, value] of Object.entries(patch)) {
    if (value === null) result.delete(field);
    else result.set(field, applyMerge(result.get(field), value));
  }
  return Object.fromEntries(result);
}

/** What a merge patch can say: no null as the value of a field. */
function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value;
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).filter(([, inner]) => inner !== null);
  return Object.fromEntries(kept.map(([field, inner]) => [field, withoutNulls(inner)]));
}

describe('mergePatch', () => {
  const object = fc.dictionary(fc.constantFrom('a', 'b', 'c', '__proto__'), json, { maxKeys: 4 });

  it('turns the one value into the other, and is empty when they are equal', () => {
    fc.assert(
      fc.property(object, object, (from, to) => {
        const before = withoutNulls(from) as Record<string, unknown>;
        const after = withoutNulls(to) as Record<string, unknown>;
        const patch = mergePatch(before, after);
        expect(jsonEqual(applyMerge(before, patch), after)).toBe(true);
        expect(Object.keys(patch).length === 0).toBe(jsonEqual(before, after));
      }),
      { numRuns: 500 },
    );
  });

  it('names only what changes', () => {
    expect(mergePatch({ a: 1, b: { c: 2, d: 3 }, e: [1] }, { a: 1, b: { c: 2 }, e: [1, 2] })).toEqual({ b: { d: null }, e: [1, 2] });
  });
});
