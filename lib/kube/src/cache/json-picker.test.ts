import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { SelectionTree } from '../objects/field-selection.ts';
import { JsonPicker } from './json-picker.ts';

/** What a picker must give of compact JSON, said without bytes. */
function select(value: unknown, selection: SelectionTree): unknown {
  if (selection === true || typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => select(item, selection));
  const kept = Object.entries(value).filter(([key]) => Object.hasOwn(selection, key));
  return Object.fromEntries(kept.map(([key, below]) => [key, select(below, selection[key] ?? true)]));
}

// Few names, so that selections and objects meet; texts that look like structure, so that a careless scan goes astray.
const name = fc.constantFrom('a', 'b', 'ab', 'name', 'ä', '{', '}]', ',', ':');
const text = fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('"', '\\', '\\"', '"}', '}]', '{"a":', '\u2028', '😀'));
const leaf = fc.oneof(text, fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true }), fc.boolean(), fc.constant(null));
const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'medium' },
    leaf,
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(name, tie('value'), { maxKeys: 5, noNullPrototype: true }),
  ),
}));
const { selection } = fc.letrec<{ selection: SelectionTree }>((tie) => ({
  selection: fc.oneof(
    { depthSize: 'small' },
    fc.constant<true>(true),
    fc.dictionary(name, tie('selection'), { maxKeys: 4, noNullPrototype: true }),
  ),
}));

describe('JsonPicker', () => {
  it('gives exactly the selected fields of compact JSON', () => {
    fc.assert(
      fc.property(value, selection, (object, fields) => {
        const json = JSON.stringify(object);
        expect(new JsonPicker(fields).parse(Buffer.from(json))).toEqual(select(JSON.parse(json), fields));
      }),
      { numRuns: 3_000 },
    );
  });

  it('steps over managedFields, whatever is in their texts', () => {
    const astray = fc
      .array(fc.constantFrom('}]', ',', '}', ']', '{', '[', ':', '"', '1', 'a'), { maxLength: 8 })
      .map((parts) => parts.join(''));
    const key = fc.tuple(fc.constantFrom('f:', 'k:', 'v:', 'i:'), astray).map((parts) => parts.join(''));
    const owned = fc.dictionary(key, fc.dictionary(key, fc.constant({}), { maxKeys: 3, noNullPrototype: true }), {
      maxKeys: 3,
      noNullPrototype: true,
    });
    const entry = fc.record({ manager: astray, operation: fc.constant('Update'), fieldsV1: owned, subresource: astray });
    const before = fc.dictionary(name, leaf, { maxKeys: 2, noNullPrototype: true });
    fc.assert(
      fc.property(before, fc.array(entry, { maxLength: 3 }), before, (first, managedFields, last) => {
        const items = [{ metadata: { ...first, managedFields, ...last }, spec: { a: 1 } }, { metadata: { managedFields, a: 'x' } }];
        const json = JSON.stringify({ items });
        const fields: SelectionTree = { items: { metadata: { a: true, '}]': true }, spec: true } };
        expect(select(new JsonPicker(fields).parse(Buffer.from(json)), fields)).toEqual(select(JSON.parse(json), fields));
      }),
      { numRuns: 3_000 },
    );
  });

  it('gives at least the selected fields of JSON with space in it', () => {
    fc.assert(
      fc.property(value, selection, (object, fields) => {
        const json = JSON.stringify(object, undefined, 2);
        expect(select(new JsonPicker(fields).parse(Buffer.from(json)), fields)).toEqual(select(JSON.parse(json), fields));
      }),
    );
  });

  it('finds a field whose name is written with escapes', () => {
    const json = Buffer.from(String.raw`{"\u0061":1,"b":2}`);
    expect(new JsonPicker({ a: true }).parse(json)).toMatchObject({ a: 1 });
  });

  it('refuses a text that breaks off, wherever it does', () => {
    const json = Buffer.from(JSON.stringify({ a: [{ b: 'x\\"y', ab: { name: [1, 'z'] } }], b: { a: null }, name: -1.5e3 }));
    for (let length = 0; length < json.length; length += 1) {
      expect(() => new JsonPicker({ a: { b: true }, name: true }).parse(json.subarray(0, length)), `${length} bytes`).toThrow(SyntaxError);
    }
  });

  it('refuses what follows the value', () => {
    expect(() => new JsonPicker({ a: true }).parse(Buffer.from('{"a":1}{"a":2}'))).toThrow(SyntaxError);
  });

  it('reads texts of growing and shrinking length one after the other', () => {
    const picker = new JsonPicker({ a: true });
    for (const length of [10, 100_000, 3, 40_000]) {
      expect(picker.parse(Buffer.from(JSON.stringify({ b: 1, a: 'ä'.repeat(length), ab: [] })))).toEqual({ a: 'ä'.repeat(length) });
    }
  });
});
