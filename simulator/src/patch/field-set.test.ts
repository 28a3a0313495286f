import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FieldSet, fieldElement, keyElement, pathText, valueElement } from './field-set.ts';

const element = fc.oneof(
  fc.constantFrom('a', 'b', 'c').map(fieldElement),
  fc.constantFrom('x', 'y').map((name) => keyElement([['name', name]])),
  fc.constantFrom('<', 1).map(valueElement),
);
const paths = fc.array(fc.array(element, { minLength: 1, maxLength: 3 }), { maxLength: 8 });
const set = paths.map((list) => FieldSet.of(list));
const textOf = (fields: FieldSet) => [...fields.paths()].map(pathText).sort();

describe('a set of fields', () => {
  it('is written as the server writes it', () => {
    const fields = FieldSet.of([
      ['f:data'],
      ['f:data', 'f:a'],
      ['f:spec', 'k:{"name":"x"}'],
      ['f:spec', 'k:{"name":"x"}', 'f:image'],
      ['f:tags', 'v:"t"'],
    ]);
    expect(fields.toFieldsV1()).toEqual({
      'f:data': { '.': {}, 'f:a': {} },
      'f:spec': { 'k:{"name":"x"}': { '.': {}, 'f:image': {} } },
      'f:tags': { 'v:"t"': {} },
    });
  });

  it('reads back what it writes', () => {
    const property = fc.property(set, (fields) => {
      expect(FieldSet.parse(fields.toFieldsV1()).equals(fields)).toBe(true);
    });
    fc.assert(property);
  });

  it('reads elements however their keys are ordered and escaped', () => {
    const read = FieldSet.parse({ 'k:{"b":1,"a":"<"}': {}, 'v:"\\u003c"': {} });
    expect(
      read.has([
        keyElement([
          ['a', '<'],
          ['b', 1],
        ]),
      ]),
    ).toBe(true);
    expect(read.has([valueElement('<')])).toBe(true);
  });

  it.each([undefined, null, 'text', [], { 'f:a': 'text' }])('reads %j as empty', (fields) => {
    expect(FieldSet.parse(fields).isEmpty).toBe(true);
  });

  it('has the paths of both in a union, of the first alone in a difference, and the shared ones in an intersection', () => {
    const property = fc.property(set, set, (a, b) => {
      const [left, right] = [new Set(textOf(a)), new Set(textOf(b))];
      expect(textOf(a.union(b))).toEqual([...new Set([...left, ...right])].sort());
      expect(textOf(a.difference(b))).toEqual([...left].filter((path) => !right.has(path)).sort());
      expect(textOf(a.intersection(b))).toEqual([...left].filter((path) => right.has(path)).sort());
    });
    fc.assert(property);
  });

  it('loses whole branches by `without`', () => {
    const fields = FieldSet.of([['f:a', 'f:b'], ['f:a', 'f:c', 'f:d'], ['f:e']]);
    expect(textOf(fields.without(FieldSet.of([['f:a', 'f:c']])))).toEqual(['.a.b', '.e']);
    expect(textOf(fields.without(FieldSet.of([['f:a']])))).toEqual(['.e']);
  });

  it('names paths as messages do', () => {
    expect(pathText(['f:spec', 'k:{"containerPort":80,"protocol":"TCP"}', 'f:name'])).toBe('.spec[containerPort=80,protocol="TCP"].name');
    expect(pathText(['f:tags', 'v:"a"', 'i:3'])).toBe('.tags[="a"][3]');
  });
});
