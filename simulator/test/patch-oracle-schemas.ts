/** Schemas of CRDs that the real server refuses, and some that it takes. */
import type { JsonObject } from '../src/schema/index.ts';

const text = { type: 'string' };
const spec = (schema: JsonObject): JsonObject => ({ type: 'object', properties: { spec: schema } });
const list = (more: JsonObject): JsonObject => spec({ type: 'array', ...more });
const keyed = { type: 'object', properties: { a: text } };
const rule = (...rules: readonly JsonObject[]): JsonObject =>
  spec({ type: 'object', properties: { a: text }, 'x-kubernetes-validations': rules });

export const schemas: Readonly<Record<string, JsonObject>> = {
  'no type at the root': { properties: { spec: { type: 'object' } } },
  'a text at the root': { type: 'string' },
  'no types inside': spec({ properties: { a: {} } }),
  'an array without items': list({}),
  'items without a type': list({ items: {} }),
  'properties beside additionalProperties': spec({ type: 'object', properties: { a: text }, additionalProperties: text }),
  'additionalProperties at the root': { type: 'object', additionalProperties: text },
  'additionalProperties without a type': spec({ type: 'object', additionalProperties: {} }),
  'additionalProperties: false': spec({ type: 'object', additionalProperties: false }),
  'a type in anyOf': spec({ type: 'object', properties: { a: text }, anyOf: [{ properties: { a: text } }] }),
  'a default in allOf': spec({ type: 'object', properties: { a: text }, allOf: [{ properties: { a: { default: 'x' } } }] }),
  'nullable in not': spec({ type: 'string', not: { nullable: true } }),
  uniqueItems: list({ items: text, uniqueItems: true }),
  'labels in metadata': { type: 'object', properties: { metadata: { type: 'object', properties: { labels: { type: 'object' } } } } },
  'a name in metadata': {
    type: 'object',
    properties: { metadata: { type: 'object', properties: { name: { type: 'string', maxLength: 3 } } } },
  },
  'a map without keys': list({ items: keyed, 'x-kubernetes-list-type': 'map' }),
  'a map with an optional key': list({ items: keyed, 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['a'] }),
  'a map with a key that is not there': list({ items: keyed, 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['z'] }),
  'a map with a required key': list({
    items: { ...keyed, required: ['a'] },
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': ['a'],
  }),
  'a set of objects': list({ items: { type: 'object' }, 'x-kubernetes-list-type': 'set' }),
  'a set of lists': list({ items: { type: 'array', items: text }, 'x-kubernetes-list-type': 'set' }),
  'an unknown list type': list({ items: text, 'x-kubernetes-list-type': 'bag' }),
  'a list type of a text': spec({ type: 'string', 'x-kubernetes-list-type': 'set' }),
  'an unknown map type': spec({ type: 'object', 'x-kubernetes-map-type': 'bag' }),
  'an unknown type': spec({ type: 'strin' }),
  'the type null': spec({ type: 'null' }),
  $ref: spec({ $ref: '#/x' }),
  patternProperties: spec({ type: 'object', patternProperties: { a: text } }),
  'a default of the wrong type': spec({ type: 'object', properties: { a: { type: 'string', default: 1 } } }),
  'a default that breaks a rule': spec({ type: 'object', properties: { a: { type: 'string', enum: ['x'], default: 'y' } } }),
  'a default with unknown fields': spec({ type: 'object', default: { b: 1 }, properties: { a: text } }),
  'a default that fits': spec({ type: 'object', default: { a: 'x' }, properties: { a: text } }),
  'preserve-unknown-fields: false': spec({ type: 'object', 'x-kubernetes-preserve-unknown-fields': false }),
  'an embedded resource without fields': spec({ type: 'object', 'x-kubernetes-embedded-resource': true }),
  'an embedded resource': spec({ type: 'object', 'x-kubernetes-embedded-resource': true, 'x-kubernetes-preserve-unknown-fields': true }),
  'an apiVersion that is no text': { type: 'object', properties: { apiVersion: { type: 'integer' }, kind: { type: 'object' } } },
  'a rule that is empty': rule({ rule: '' }),
  'a message of two lines': rule({ rule: 'true', message: 'a\nb' }),
  'a rule that is right': rule({ rule: 'self.a == "x"', message: 'wrong' }),
  'int or string': spec({ 'x-kubernetes-int-or-string': true }),
  'int or string with anyOf': spec({ 'x-kubernetes-int-or-string': true, anyOf: [{ type: 'integer' }, { type: 'string' }] }),
};
