import { describe, expect, it } from 'vitest';
import { anyText, flag, listOf, mapOf, object, oneOf, optional, quantity, shaped, share, text, whole } from './shape.ts';

interface Thing {
  readonly name: string;
  readonly size?: number;
  readonly ratio?: number;
  readonly isUp?: boolean;
  readonly kind?: 'a' | 'b';
  readonly limits?: Readonly<Record<string, string>>;
  readonly notes?: Readonly<Record<string, string>>;
  readonly parts?: readonly { readonly id: string; readonly note?: string }[];
}
const shape = object<Thing>({
  name: text,
  size: optional(whole),
  ratio: optional(share),
  isUp: optional(flag),
  kind: optional(oneOf('a', 'b')),
  limits: optional(mapOf(quantity)),
  notes: optional(mapOf(anyText)),
  parts: optional(listOf(object({ id: text, note: optional(text) }))),
});
const read = shaped(shape, (thing) => thing);

describe('a projection of a shape', () => {
  it('takes what fits, whatever else is there, as it is', () => {
    const thing = { name: 'a', size: 3, ratio: 0.5, kind: 'b', limits: { memory: '1Gi' }, parts: [{ id: 'x', more: [] }], other: [null] };
    expect(read(thing)).toBe(thing);
  });

  it('takes fields that are null for absent, wherever they are', () => {
    const parts = [{ id: 'x', note: null }, { id: 'y' }];
    expect(read({ name: 'a', size: null, limits: null, parts, other: null })).toEqual({
      name: 'a',
      parts: [{ id: 'x' }, { id: 'y' }],
      other: null,
    });
    expect(Object.keys(read({ name: 'a', size: null }))).toEqual(['name']);
  });

  it('keeps what is looked at later as a text, whatever its key', () => {
    const notes = JSON.parse('{"a":5,"b":null,"__proto__":{"x":1}}');
    expect(Object.entries(read({ name: 'a', notes }).notes ?? {})).toEqual([
      ['a', '5'],
      ['b', 'null'],
      ['__proto__', '{"x":1}'],
    ]);
  });

  it('tells which fields it reads', () => {
    expect(read.paths).toEqual(['.name', '.size', '.ratio', '.isUp', '.kind', '.limits{}', '.notes{}', '.parts[].id', '.parts[].note']);
  });

  it.each<[unknown, string]>([
    [null, 'the object must be an object'],
    [[], 'the object must be an object'],
    [{}, 'name must be there'],
    [{ name: null }, 'name must be there'],
    [{ name: 1 }, 'name must be a text'],
    [{ name: 'a', size: -1 }, 'size must be a whole number, not negative and less than 2^53'],
    [{ name: 'a', size: 2 ** 53 }, 'size must be a whole number'],
    [{ name: 'a', ratio: Number.POSITIVE_INFINITY }, 'ratio must be a number, not negative'],
    [{ name: 'a', isUp: 'true' }, 'isUp must be true or false'],
    [{ name: 'a', kind: 'c' }, 'kind must be one of a, b'],
    [{ name: 'a', limits: { memory: '-1Gi' } }, 'limits.memory must be a quantity'],
    [{ name: 'a', limits: { memory: '1e30' } }, 'limits.memory must be a quantity, not negative and less than 2^53'],
    [{ name: 'a', limits: [] }, 'limits must be an object'],
    [{ name: 'a', parts: {} }, 'parts must be a list'],
    [{ name: 'a', parts: [{ id: 'x' }, null] }, 'parts[1] must be an object'],
    [{ name: 'a', parts: [{ id: 'x' }, {}] }, 'parts[1].id must be there'],
  ])('refuses %j and names the field', (thing, message) => {
    expect(() => read(thing)).toThrow(message);
  });
});
