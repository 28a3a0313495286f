import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { refusalOf } from '../schema/api-status.ts';
import type { Json, JsonObject } from '../schema/json.ts';
import { applyMergePatch } from './merge-patch.ts';

describe('a merge patch', () => {
  it.each<[JsonObject, JsonObject, JsonObject]>([
    [{ a: 'b' }, { a: 'c' }, { a: 'c' }],
    [{ a: 'b' }, { b: 'c' }, { a: 'b', b: 'c' }],
    [{ a: 'b' }, { a: null }, {}],
    [{ a: ['b'] }, { a: 'c' }, { a: 'c' }],
    [{ a: { b: 'c', d: 1 } }, { a: { b: 'd', c: null } }, { a: { b: 'd', d: 1 } }],
    [{ a: [{ b: 'c' }] }, { a: [1] }, { a: [1] }],
    [{ a: 'text' }, { a: { b: { c: null } } }, { a: { b: {} } }],
    [{ e: null }, { a: 1 }, { e: null, a: 1 }],
  ])('turns %j with %j into %j', (target, patch, result) => {
    expect(applyMergePatch(target, patch)).toEqual(result);
  });

  it.each<[Json]>([[null], [[]], ['text'], [1], [true]])('that is %j is a bad request', (patch) => {
    expect(() => applyMergePatch({}, patch)).toThrow(expect.toSatisfy((error: unknown) => refusalOf(error)?.code === 400));
  });

  it('changes nothing the second time', () => {
    const object = fc.dictionary(fc.string(), fc.jsonValue()) as fc.Arbitrary<JsonObject>;
    const property = fc.property(object, object, (target, patch) => {
      const once = applyMergePatch(target, patch);
      expect(applyMergePatch(once, patch)).toEqual(once);
    });
    fc.assert(property);
  });
});
