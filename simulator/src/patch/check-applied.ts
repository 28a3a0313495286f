import { badRequest, unexplained } from '../schema/api-status.ts';
import { field, isArray, isObject, type Json, type JsonObject } from '../schema/json.ts';
import type { SchemaNode } from '../schema/schema-node.ts';
import { atomOf, itemElement } from './atoms.ts';
import { pathText } from './field-set.ts';

/** Refuses a configuration that cannot be merged: of another shape than its kind, or with items that cannot be told apart. */
export function checkApplied(schema: SchemaNode, applied: JsonObject): void {
  const metadata = field(applied, 'metadata');
  if (isObject(metadata) && isArray(field(metadata, 'managedFields'))) throw badRequest('metadata.managedFields must be nil');
  for (const problem of problemsOf(schema, applied, '')) throw unexplained(`failed to create typed patch object: ${problem}`);
}

function* problemsOf(schema: SchemaNode | undefined, value: Json, path: string): Generator<string> {
  if (schema === undefined || value === null) return;
  const isExpected = expected[schema.type];
  if (isExpected?.(value) === false) yield `${path}: expected ${schema.type}, got ${JSON.stringify(value)}`;
  const list = atomOf(schema, value);
  if (list.kind === 'list' && isArray(value)) {
    const seen = new Set<string>();
    for (const [index, item] of value.entries()) {
      const element = itemElement(list, item);
      if (element === undefined) yield `${path}: element ${index} must be a scalar, or have one of the keys [${list.keys.join(' ')}]`;
      else if (seen.has(element)) yield `${path}: duplicate entries for key ${pathText([element])}`;
      else yield* problemsOf(list.items, item, `${path}${pathText([element])}`);
      seen.add(element ?? '');
    }
  } else if (isObject(value) && schema.type !== 'any') {
    for (const [name, child] of Object.entries(value)) {
      const known = schema.properties !== undefined && Object.hasOwn(schema.properties, name) ? schema.properties[name] : schema.additional;
      if (known === undefined && schema.preserveUnknown !== true) yield `${path}.${name}: field not declared in schema`;
      yield* problemsOf(known, child, `${path}.${name}`);
    }
  }
}

const isNumber = (value: Json): boolean => typeof value === 'number';

// type of a schema -> whether a value has it; of the others every value has
const expected: Partial<Record<SchemaNode['type'], (value: Json) => boolean>> = {
  object: isObject,
  array: isArray,
  string: (value) => typeof value === 'string',
  boolean: (value) => typeof value === 'boolean',
  integer: isNumber,
  number: isNumber,
};
