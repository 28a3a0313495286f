import { type DescMessage, fromJson, type JsonObject } from '@bufbuild/protobuf';
import { invalidFields } from '@quartermaster/kernel';
import { answerJson, jsonProblem } from '@quartermaster/rpc';
import { isJsonObject } from '../../text/json-path.ts';
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
