import { describe, expect, it } from 'vitest';
import { both, fields, flag, listOf, mapOf, quantity, required, shaped, share, text, whole } from './shape.ts';

const shape = both(
  required({ name: text }),
  fields({ size: whole, ratio: share, isUp: flag, limits: mapOf(quantity), parts: listOf(required({ id: text })) }),
);
const name = shaped(shape, (object: { readonly name: string }) => object.name);

describe('a projection of a shape', () => {
  it('takes what fits, whatever else is there, and null for absent', () => {
    const object = { name: 'a', size: 3, ratio: 0.5, isUp: null, limits: { memory: '1Gi' }, parts: [{ id: 'x', more: [] }], other: [null] };
    expect(name(object)).toBe('a');
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
    [{ name: 'a', limits: { memory: '-1Gi' } }, 'limits.memory must be a quantity'],
    [{ name: 'a', limits: { memory: '1e30' } }, 'limits.memory must be a quantity, not negative and less than 2^53'],
    [{ name: 'a', limits: [] }, 'limits must be an object'],
    [{ name: 'a', parts: {} }, 'parts must be a list'],
    [{ name: 'a', parts: [{ id: 'x' }, null] }, 'parts[1] must be an object'],
    [{ name: 'a', parts: [{ id: 'x' }, {}] }, 'parts[1].id must be there'],
  ])('refuses %j and names the field', (object, message) => {
    expect(() => name(object as { readonly name: string })).toThrow(message);
  });
});
