import { applyDefaults } from '../schema/defaults.ts';
import { prune } from '../schema/prune.ts';
import type { SchemaNode } from '../schema/schema-node.ts';
import { validateCustomResource, validateValue } from '../schema/validate-custom-resource.ts';
import { isObject, type Json, type JsonObject } from './api-object.ts';
import { badRequest, type Cause } from './api-status.ts';
import { apiVersionOf, type ServedKind } from './served-kind.ts';

export type FieldValidation = 'Ignore' | 'Warn' | 'Strict';

/**
 * The fields of an object that its kind knows. What it does not know is dropped, told or refused, as the writer wishes. A
 * built-in kind refuses a value of the wrong type here, as its decoder does; a CRD's does so with all its other rules.
 */
export function readFields(
  kind: ServedKind,
  body: JsonObject,
  options: { readonly fieldValidation: FieldValidation; readonly warn: (text: string) => void },
): JsonObject {
  const apiVersion = apiVersionOf(kind);
  const { apiVersion: sentVersion = apiVersion, kind: sentKind = kind.kind, metadata = {} } = body;
  if (sentVersion !== apiVersion)
    throw badRequest(`the API version in the data (${JSON.stringify(sentVersion)}) does not match the expected API version (${apiVersion})`);
  if (sentKind !== kind.kind) throw badRequest(`the kind in the data (${JSON.stringify(sentKind)}) does not match the expected kind (${kind.kind})`);
  if (!isObject(metadata) && metadata !== null) throw badRequest('metadata: must be an object');
  const { object, unknown } = prune(kind.schema, withoutNulls(kind, body));
  if (unknown.length > 0 && options.fieldValidation === 'Strict')
    throw badRequest(`strict decoding error: ${unknown.map((field) => `unknown field "${field}"`).join(', ')}`);
  if (options.fieldValidation === 'Warn') for (const field of unknown) options.warn(`unknown field "${field}"`);
  checkTypes(kind, object);
  return object;
}

function checkTypes(kind: ServedKind, object: JsonObject): void {
  const schema: SchemaNode = kind.custom === undefined ? kind.schema : { type: 'object', properties: { metadata: kind.schema.properties?.['metadata'] ?? { type: 'object' } } };
  const wrong = validateValue(schema, object, '').find(({ reason }) => reason === 'FieldValueTypeInvalid');
  if (wrong === undefined) return;
  throw badRequest(`${kind.kind} in version "${kind.version}" cannot be handled as a ${kind.kind}: ${wrong.field}: ${wrong.message}`);
}

/** To a built-in kind, null and empty lists and maps say nothing; of a custom resource, metadata is such a part as well. */
function withoutNulls(kind: ServedKind, body: JsonObject): JsonObject {
  const known = kind.custom === undefined ? kind.schema : { type: 'object' as const, properties: { metadata: kind.schema.properties?.['metadata'] ?? { type: 'object' as const } } };
  const cleaned = dropNulls(known, body);
  return isObject(cleaned) ? cleaned : body;
}

function dropNulls(schema: SchemaNode | undefined, value: Json): Json {
  if (schema === undefined || schema.type === 'any' || typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return (value as readonly Json[]).map((item) => dropNulls(schema.items, item));
  const result: Record<string, Json> = {};
  for (const [name, child] of Object.entries(value as JsonObject)) {
    const below = schema.properties !== undefined && Object.hasOwn(schema.properties, name) ? schema.properties[name] : schema.additional;
    const isKept = below === undefined || below.alwaysPresent === true || schema.required?.includes(name) === true;
    if (isKept || !saysNothing(below, child)) result[name] = dropNulls(below, child);
  }
  return result;
}

const saysNothing = (schema: SchemaNode, value: Json): boolean =>
  value === null ||
  (schema.type === 'array' && Array.isArray(value) && value.length === 0) ||
  (schema.additional !== undefined && schema.properties === undefined && isObject(value) && Object.keys(value).length === 0);

/** With the defaults of a CRD's schema. Those of built-in kinds are rules of their own. */
export const defaulted = (kind: ServedKind, object: JsonObject): JsonObject =>
  kind.custom === undefined ? object : applyDefaults(kind.schema, object);

/** What a CRD's schema says against an object. */
export const valueProblems = (kind: ServedKind, object: JsonObject, live: JsonObject | undefined): readonly Cause[] =>
  kind.custom === undefined ? [] : validateCustomResource(kind.schema, object, live);
