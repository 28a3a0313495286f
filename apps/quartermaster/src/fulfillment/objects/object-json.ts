import { type DescMessage, fromJson, type JsonObject, type JsonValue } from '@bufbuild/protobuf';
import { invalidFields } from '@quartermaster/kernel';
import { answerJson, jsonProblem } from '@quartermaster/rpc';
import { isJsonObject } from '../../text/json-path.ts';
import type { Kind } from '../kinds/kind.ts';
import { valueTypes } from '../kinds/template-parameters.ts';
import type { AnyObject } from './object-client.ts';

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

/** What the service shows in place of a secret, as text and as bytes. */
const redacted: ReadonlySet<JsonValue> = new Set(['<redacted>', Buffer.from('<redacted>').toString('base64')]);

/** An object as a file has it, ready to be applied again: with its kind, and without the secrets, which then stay as they are. */
export function objectDocument({ message }: Pick<Kind, 'message'>, schema: DescMessage, object: AnyObject): JsonObject {
  return { kind: message, ...withoutSecrets(objectJson(schema, object)) };
}

export const isRedacted = (value: JsonValue | undefined): boolean => value !== undefined && redacted.has(value);

export function withoutSecrets(json: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(json)
      .filter(([, value]) => !isRedacted(value))
      .map(([key, value]) => [key, typeof value === 'object' && value !== null && !Array.isArray(value) ? withoutSecrets(value) : value]),
  );
}
