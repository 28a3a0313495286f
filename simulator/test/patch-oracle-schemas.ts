/** Schemas of CRDs that the real server and the simulator refuse, and some that both take. */
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
  'additionalProperties without a type': spec({ type: 'object', additionalProperties: {} }),
  'additionalProperties: false': spec({ type: 'object', additionalProperties: false }),
  'a name in metadata': {
    type: 'object',
    properties: { metadata: { type: 'object', properties: { name: { type: 'string', maxLength: 3 } } } },
  },
  'a map without keys': list({ items: keyed, 'x-kubernetes-list-type': 'map' }),
  'a map with a required key': list({
    items: { ...keyed, required: ['a'] },
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': ['a'],
  }),
  'a set of lists': list({ items: { type: 'array', items: text }, 'x-kubernetes-list-type': 'set' }),
  'an unknown type': spec({ type: 'strin' }),
  $ref: spec({ $ref: '#/x' }),
  patternProperties: spec({ type: 'object', patternProperties: { a: text } }),
  'a default that fits': spec({ type: 'object', default: { a: 'x' }, properties: { a: text } }),
  'an embedded resource': spec({ type: 'object', 'x-kubernetes-embedded-resource': true, 'x-kubernetes-preserve-unknown-fields': true }),
  'a rule that is empty': rule({ rule: '' }),
  'a rule that is right': rule({ rule: 'self.a == "x"', message: 'wrong' }),
  'int or string': spec({ 'x-kubernetes-int-or-string': true }),
  'int or string with anyOf': spec({ 'x-kubernetes-int-or-string': true, anyOf: [{ type: 'integer' }, { type: 'string' }] }),
};
