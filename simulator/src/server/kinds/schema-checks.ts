import { badRequest, type Cause } from '../../schema/api-status.ts';
import {
  applyDefaults,
  decodeBuiltIn,
  type Pruned,
  prune,
  type SchemaNode,
  undecodableMessage,
  unknownFieldText,
  validateCustomResource,
} from '../../schema/index.ts';
import { isObject, type JsonObject } from '../object/api-object.ts';
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
    throw badRequest(
      `the API version in the data (${JSON.stringify(sentVersion)}) does not match the expected API version (${apiVersion})`,
    );
  if (sentKind !== kind.kind)
    throw badRequest(`the kind in the data (${JSON.stringify(sentKind)}) does not match the expected kind (${kind.kind})`);
  if (!isObject(metadata) && metadata !== null) throw badRequest('metadata: must be an object');
  const { object, unknown } = decoded(kind, body);
  if (unknown.length > 0 && options.fieldValidation === 'Strict') throw badRequest(undecodableMessage(kind.kind, kind.version, unknown));
  if (options.fieldValidation === 'Warn') for (const field of unknown) options.warn(unknownFieldText(field));
  return object;
}

function decoded(kind: ServedKind, body: JsonObject): Pruned {
  if (kind.custom === undefined) return builtIn(kind, kind.schema, body);
  const metadata = kind.schema.properties?.['metadata'];
  if (metadata === undefined || !isObject(body['metadata'])) return prune(kind.schema, body);
  // Metadata is a built-in part of every object.
  const known = builtIn(kind, { type: 'object', properties: { metadata } }, { metadata: body['metadata'] });
  const { object, unknown } = prune(kind.schema, { ...body, ...known.object });
  return { object, unknown: [...known.unknown, ...unknown] };
}

function builtIn({ kind, version }: ServedKind, schema: SchemaNode, body: JsonObject): Pruned {
  const result = decodeBuiltIn(schema, body);
  if ('mismatch' in result) throw badRequest(undecodableMessage(kind, version, result.mismatch));
  return result;
}

/** With the defaults of a CRD's schema. Those of built-in kinds are rules of their own. An apply keeps nulls, which then are refused. */
export const defaulted = (kind: ServedKind, object: JsonObject, options: { readonly keepNulls: boolean }): JsonObject =>
  kind.custom === undefined ? object : applyDefaults(kind.schema, object, options);

/** What a CRD's schema says against an object. */
export const valueProblems = (kind: ServedKind, object: JsonObject, live: JsonObject | undefined): readonly Cause[] =>
  kind.custom === undefined ? [] : validateCustomResource(kind.schema, object, live);
