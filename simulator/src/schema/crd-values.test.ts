import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { crdSchema } from './crd-schema.ts';
import { applyDefaults } from './defaults.ts';
import type { Json, JsonObject } from './json.ts';
import { prune } from './prune.ts';
import { structuralProblems } from './structural-problems.ts';
import { validateCustomResource } from './validate-custom-resource.ts';

const text = { type: 'string' };
const withSpec = (spec: JsonObject) => crdSchema({ type: 'object', properties: { spec } });
const defaulted = (spec: JsonObject, value: Json) => applyDefaults(withSpec(spec), { spec: value })['spec'];

describe('the defaults of a CRD', () => {
  const nested = { type: 'object', default: {}, properties: { a: { type: 'string', default: 'A' }, b: text } };
  const spec = {
    type: 'object',
    properties: { nested, list: { type: 'array', items: nested }, map: { type: 'object', additionalProperties: nested } },
  };

  it('fill what is absent, on every level', () => {
    expect(defaulted(spec, {})).toEqual({ nested: { a: 'A' } });
    expect(defaulted(spec, { nested: { b: 'x' }, list: [{}, { a: 'own' }], map: { k: {} } })).toEqual({
      nested: { a: 'A', b: 'x' },
      list: [{ a: 'A' }, { a: 'own' }],
      map: { k: { a: 'A' } },
    });
  });

  it('replace a null that is not allowed and leave one that is', () => {
    const nullable = {
      type: 'object',
      properties: { a: { type: 'string', nullable: true, default: 'A' }, b: { type: 'string', default: 'B' }, c: text },
    };
    expect(defaulted(nullable, { a: null, b: null, c: null })).toEqual({ a: null, b: 'B' });
  });

  it('keep nulls without a default when told so', () => {
    const schema = withSpec({ type: 'object', properties: { a: text, b: { type: 'string', default: 'B' } } });
    expect(applyDefaults(schema, { spec: { a: null, b: null } }, { keepNulls: true })).toEqual({ spec: { a: null, b: 'B' } });
  });

  it('do not touch metadata', () => {
    expect(applyDefaults(withSpec({ type: 'object' }), { metadata: {} })).toEqual({ metadata: {} });
  });
});

describe('pruning', () => {
  const schema = withSpec({
    type: 'object',
    properties: {
      a: text,
      items: { type: 'array', items: { type: 'object', properties: { n: text } } },
      open: {
        type: 'object',
        'x-kubernetes-preserve-unknown-fields': true,
        properties: { known: { type: 'object', properties: { n: text } } },
      },
      embedded: { type: 'object', 'x-kubernetes-embedded-resource': true, 'x-kubernetes-preserve-unknown-fields': true },
      map: { type: 'object', additionalProperties: { type: 'object', properties: { n: text } } },
    },
  });

  it('takes away what the schema does not know and says where it was', () => {
    const object = { metadata: { name: 'x', odd: 1 }, spec: { a: '1', z: 1, items: [{ n: '1', y: 1 }], map: { k: { y: 1 } } }, extra: 1 };
    expect(prune(schema, object)).toEqual({
      object: { metadata: { name: 'x' }, spec: { a: '1', items: [{ n: '1' }], map: { k: {} } } },
      unknown: ['extra', 'metadata.odd', 'spec.items[0].y', 'spec.map.k.y', 'spec.z'],
    });
  });

  it('keeps unknown fields where the schema says so, but not inside of known ones', () => {
    const spec = {
      open: { any: { thing: [1] }, known: { n: '1', m: 1 } },
      embedded: { kind: 'K', data: 1, metadata: { name: 'x', odd: 1 } },
    };
    expect(prune(schema, { spec }).object).toEqual({
      spec: { open: { any: { thing: [1] }, known: { n: '1' } }, embedded: { kind: 'K', data: 1, metadata: { name: 'x' } } },
    });
  });

  it('keeps everything of a kind without a schema', () => {
    const object = { spec: { any: ['thing'] }, more: 1 };
    expect(prune(crdSchema(undefined), object)).toEqual({ object, unknown: [] });
  });

  it('finds nothing more the second time', () => {
    const property = fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (spec) => {
      const once = prune(schema, { spec: spec as JsonObject }).object;
      expect(prune(schema, once)).toEqual({ object: once, unknown: [] });
    });
    fc.assert(property);
  });
});

describe('validation of a custom resource', () => {
  const causes = (spec: JsonObject, value: Json, stored?: Json) =>
    validateCustomResource(withSpec(spec), { spec: value }, stored === undefined ? undefined : { spec: stored }).map(
      ({ field, reason }) => `${field} ${reason}`,
    );
  const size = { type: 'object', properties: { size: { type: 'integer', minimum: 1 } } };
  const fixed = { type: 'object', properties: { fixed: { type: 'string', 'x-kubernetes-validations': [{ rule: 'self == oldSelf' }] } } };

  it('names the field and the kind of rule that it breaks', () => {
    expect(causes(size, { size: 0 })).toEqual(['spec.size FieldValueInvalid']);
    expect(causes(size, { size: '1' })).toEqual(['spec.size FieldValueTypeInvalid']);
    expect(causes({ ...size, required: ['size'] }, {})).toEqual(['spec.size FieldValueRequired']);
  });

  it('does not hold against an update what was there before', () => {
    const list = { type: 'object', properties: { size: { type: 'integer', minimum: 1 }, other: text } };
    expect(causes(list, { size: 0, other: 'new' }, { size: 0 })).toEqual([]);
    expect(causes(list, { size: -1, other: 'new' }, { size: 0 })).toEqual(['spec.size FieldValueInvalid']);
  });

  it('checks rules about the former self on updates only', () => {
    expect(causes(fixed, { fixed: 'a' })).toEqual([]);
    expect(causes(fixed, { fixed: 'b' }, { fixed: 'a' })).toEqual(['spec.fixed FieldValueInvalid']);
    expect(causes(fixed, { fixed: 'a' }, { fixed: 'a' })).toEqual([]);
    expect(causes(fixed, { fixed: 'b' }, {})).toEqual([]);
  });

  it('compares the items of a map with their former selves by key', () => {
    const items = { type: 'object', required: ['name'], properties: { name: text, fixed: fixed.properties.fixed } };
    const spec = { type: 'array', items, 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['name'] };
    const stored = [
      { name: 'x', fixed: '1' },
      { name: 'y', fixed: '2' },
    ];
    expect(
      causes(
        spec,
        [
          { name: 'y', fixed: '2' },
          { name: 'x', fixed: '9' },
        ],
        stored,
      ),
    ).toEqual(['spec[1].fixed FieldValueInvalid']);
  });

  it('gives a rule an optional former self when it asks for one', () => {
    const rule = { rule: 'oldSelf.hasValue() || self == "first"', optionalOldSelf: true };
    const spec = { type: 'object', properties: { a: { type: 'string', 'x-kubernetes-validations': [rule] } } };
    expect(causes(spec, { a: 'other' })).toEqual(['spec.a FieldValueInvalid']);
    expect(causes(spec, { a: 'first' })).toEqual([]);
    expect(causes(spec, { a: 'other' }, { a: 'first' })).toEqual([]);
  });

  it('knows the words that CEL cannot write, and numbers as CEL has them', () => {
    const properties = {
      namespace: text,
      'a-b': { type: 'integer' },
      half: { type: 'number' },
      when: { type: 'string', format: 'date-time' },
    };
    const rules = ['self.__namespace__ == "n"', 'self.a__dash__b == 3', 'self.half < 1.0', 'self.when < timestamp("2027-01-01T00:00:00Z")'];
    const spec = { type: 'object', properties, 'x-kubernetes-validations': rules.map((rule) => ({ rule })) };
    expect(causes(spec, { namespace: 'n', 'a-b': 3, half: 0.5, when: '2026-01-01T00:00:00Z' })).toEqual([]);
    expect(causes(spec, { namespace: 'x', 'a-b': 4, half: 1.5, when: '2028-01-01T00:00:00Z' })).toHaveLength(4);
  });

  it('has the functions on lists that Kubernetes adds to CEL', () => {
    const rules = ['self.isSorted()', 'self.sum() == 6', 'self.min() == 1 && self.max() == 3'];
    const spec = { type: 'array', items: { type: 'integer' }, 'x-kubernetes-validations': rules.map((rule) => ({ rule })) };
    expect(causes(spec, [1, 2, 3])).toEqual([]);
    expect(causes(spec, [3, 2, 2])).toHaveLength(3);
  });

  it('says that rules in CEL were not checked when the object is too wrong for them', () => {
    const spec = { ...size, required: ['name'], 'x-kubernetes-validations': [{ rule: 'self.size > 5' }] };
    expect(causes(spec, { size: 1 })).toEqual(['spec.name FieldValueRequired', '<nil> FieldValueInvalid']);
  });
});

describe('a schema that is not structural', () => {
  const problemsOf = (schema: Json | undefined) => structuralProblems(schema, 'schema').map(({ field, reason }) => `${field} ${reason}`);

  it('is refused where it says nothing', () => {
    expect(problemsOf(undefined)).toEqual(['schema FieldValueRequired']);
    expect(problemsOf({ type: 'object', properties: { a: {} } })).toEqual(['schema.properties[a].type FieldValueRequired']);
  });

  it('is refused for a rule that is no CEL or no condition', () => {
    const withRule = (rule: string) => ({ type: 'object', properties: { a: { type: 'object', 'x-kubernetes-validations': [{ rule }] } } });
    expect(problemsOf(withRule('self.a >'))).toEqual(['schema.properties[a].x-kubernetes-validations[0].rule FieldValueInvalid']);
    expect(problemsOf(withRule('"text"'))).toEqual(['schema.properties[a].x-kubernetes-validations[0].rule FieldValueInvalid']);
    expect(problemsOf(withRule('has(self.a)'))).toEqual([]);
  });

  it('is refused for a pattern that is no regular expression', () => {
    expect(problemsOf({ type: 'object', properties: { a: { type: 'string', pattern: '(' } } })).toEqual([
      'schema.properties[a].pattern FieldValueInvalid',
    ]);
    expect(problemsOf({ type: 'object', properties: { a: { type: 'string', pattern: '(?i)^a\\z' } } })).toEqual([]);
  });
});
