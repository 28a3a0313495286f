import { isDeepStrictEqual } from 'node:util';
import type { DescField, DescMessage, JsonObject, JsonValue } from '@bufbuild/protobuf';
import { ownJsonForms } from './own-json-forms.ts';

/**
 * The paths that a JSON object names, for an update that says by its body alone what it changes: objects are followed to their leaves, maps to
 * their keys; a list, an empty object, `null` and a message with a JSON form of its own are leaves. Names that there are not are left out:
 * decoding the object refuses them.
 */
export function maskOfJson(schema: DescMessage, json: JsonObject): string[] {
  return Object.entries(json).flatMap(([key, value]) => {
    const field = schema.fields.find((each) => each.name === key || each.jsonName === key);
    return field === undefined ? [] : below(field, field.name, value);
  });
}

function below(field: DescField, path: string, value: JsonValue): string[] {
  if (field.fieldKind === 'list' || !isFilledObject(value)) return [path];
  if (field.fieldKind === 'map') {
    return Object.entries(value).flatMap(([key, inner]) => inMessage(field.message, `${path}.${quoted(key)}`, inner));
  }
  return inMessage(field.message, path, value);
}

function inMessage(schema: DescMessage | undefined, path: string, value: JsonValue): string[] {
  if (schema === undefined || ownJsonForms.has(schema.typeName) || !isFilledObject(value)) return [path];
  return maskOfJson(schema, value).map((inner) => `${path}.${inner}`);
}

/**
 * The paths at which two objects differ, of which both are by the names of the contract: what an update names to turn one into the other. A part that only
 * one of them has is named as a whole.
 */
export function maskOfChange(schema: DescMessage, before: JsonObject, after: JsonObject): string[] {
  return schema.fields.flatMap((field) => changeBelow(field, field.name, before[field.name], after[field.name]));
}

function changeBelow(field: DescField, path: string, before: JsonValue | undefined, after: JsonValue | undefined): string[] {
  if (field.fieldKind !== 'map' || !isFilledObject(before) || !isFilledObject(after)) {
    return field.fieldKind === 'list' ? changeOfValue(undefined, path, before, after) : changeOfValue(field.message, path, before, after);
  }
  const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return keys.flatMap((key) => changeOfValue(field.message, `${path}.${quoted(key)}`, before[key], after[key]));
}

function changeOfValue(
  schema: DescMessage | undefined,
  path: string,
  before: JsonValue | undefined,
  after: JsonValue | undefined,
): string[] {
  if (isDeepStrictEqual(before, after)) return [];
  if (schema === undefined || ownJsonForms.has(schema.typeName) || !isFilledObject(before) || !isFilledObject(after)) return [path];
  return maskOfChange(schema, before, after).map((inner) => `${path}.${inner}`);
}

/** Keys with characters of their own meaning in paths are in backquotes, where a backquote is doubled. */
function quoted(key: string): string {
  return /^[\w/-]+$/.test(key) ? key : `\`${key.replaceAll('`', '``')}\``;
}

/**
 * The paths of a text such as `spec.rack,metadata.labels`, by the names of the contract: fields may be in camelCase too. What is no path of the
 * message is passed on as it is, for the method to refuse.
 */
export function maskOfText(schema: DescMessage | undefined, text: string): string[] {
  const paths = text.match(/(?:`(?:[^`]|``)*`|\["(?:[^"\\]|\\.)*"\]|\['[^']*'\]|[^,])+/g) ?? [];
  return paths
    .map((path) => path.trim())
    .filter((path) => path !== '')
    .map((path) => contractPath(schema, path));
}

function contractPath(schema: DescMessage | undefined, path: string): string {
  if (schema === undefined || !/^[\w.]+$/.test(path)) return path;
  let message: DescMessage | undefined = schema;
  let isKey = false;
  const parts = path.split('.').map((part) => {
    if (isKey) {
      isKey = false;
      return part;
    }
    const field: DescField | undefined = message?.fields.find((each) => each.name === part || each.jsonName === part);
    message = field?.message;
    isKey = field?.fieldKind === 'map' || field?.fieldKind === 'list';
    return field?.name ?? part;
  });
  return parts.join('.');
}

function isFilledObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).length > 0;
}
