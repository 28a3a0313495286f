import { createRegistry, type DescMessage, fromJson, type JsonObject, type JsonValue } from '@bufbuild/protobuf';
import {
  file_google_protobuf_duration,
  file_google_protobuf_empty,
  file_google_protobuf_struct,
  file_google_protobuf_timestamp,
  file_google_protobuf_wrappers,
} from '@bufbuild/protobuf/wkt';
import { invalidFields } from '@quartermaster/kernel';
import { answerJson, jsonProblem } from '@quartermaster/rpc';
import type { AnyObject } from './object-client.ts';

/** The types that values of parameters may have. */
export const valueTypes = createRegistry(
  file_google_protobuf_duration,
  file_google_protobuf_empty,
  file_google_protobuf_struct,
  file_google_protobuf_timestamp,
  file_google_protobuf_wrappers,
);

/** The object by the names of the contract, which filters, orders, masks and errors use, too. Fields without a value are left out. */
export function objectJson(schema: DescMessage, object: AnyObject): JsonObject {
  const json = answerJson(schema, object, { registry: valueTypes, useProtoNames: true, isSparse: true });
  return isJsonObject(json) ? json : {};
}

/** Throws `invalid_argument` with the field that is wrong. */
export function objectFromJson(schema: DescMessage, json: JsonObject): AnyObject {
  const problem = jsonProblem(schema, json, valueTypes);
  if (problem !== undefined) throw invalidFields([problem]);
  // Every kind has an id and metadata.
  return fromJson(schema, json, { registry: valueTypes }) as AnyObject;
}

export function isJsonObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** What lies at a path of field names; undefined when there is nothing. */
export function valueAt(json: JsonObject, path: string): JsonValue | undefined {
  let value: JsonValue | undefined = json;
  for (const name of path.split('.')) {
    if (!isJsonObject(value)) return undefined;
    value = value[name];
  }
  return value;
}

/** The text at a path; empty when there is none. */
export function textAt(json: JsonObject, path: string): string {
  const value = valueAt(json, path);
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? String(value) : '';
}

export function listAt(json: JsonObject, path: string): readonly JsonValue[] {
  const value = valueAt(json, path);
  return Array.isArray(value) ? value : [];
}

export function entriesAt(json: JsonObject, path: string): readonly (readonly [string, JsonValue])[] {
  const value = valueAt(json, path);
  return isJsonObject(value) ? Object.entries(value) : [];
}
