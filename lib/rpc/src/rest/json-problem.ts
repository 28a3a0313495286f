import { type DescField, type DescMessage, fromJson, type JsonObject, type JsonValue, type Registry, ScalarType } from '@bufbuild/protobuf';
import type { FieldViolation } from '@quartermaster/kernel';
import { ownJsonForms } from './own-json-forms.ts';

/**
 * What is wrong with JSON that is no message of the type: the first field, by its path, and what it must be. Never repeats the value, which may be
 * a secret. Undefined when nothing is wrong.
 */
export function jsonProblem(schema: DescMessage, json: JsonValue, registry: Registry, path = ''): FieldViolation | undefined {
  if (isDecodable(schema, json, registry)) return undefined;
  const ownForm = ownJsonForms.get(schema.typeName);
  if (ownForm !== undefined) return { field: path, description: ownForm };
  if (!isObject(json)) return { field: path, description: 'must be an object' };
  for (const [key, value] of Object.entries(json)) {
    const field = schema.fields.find((each) => each.name === key || each.jsonName === key);
    if (field === undefined) return { field: joined(path, key), description: `unknown field: ${knownFields(schema)}` };
    if (!isDecodable(schema, { [key]: value }, registry)) return problemOf(schema, field, value, registry, joined(path, field.name));
  }
  return { field: path, description: 'a field is set twice, or two fields of which only one may be set' };
}

function problemOf(schema: DescMessage, field: DescField, value: JsonValue, registry: Registry, path: string): FieldViolation {
  const isGood = (probe: JsonValue): boolean => isDecodable(schema, { [field.name]: probe }, registry);
  if (field.fieldKind === 'list') {
    if (!Array.isArray(value)) return { field: path, description: 'must be a list' };
    const index = value.findIndex((item) => !isGood([item]));
    return elementProblem(field, value[index] ?? null, registry, `${path}[${index}]`);
  }
  if (field.fieldKind === 'map') {
    if (!isObject(value)) return { field: path, description: 'must be an object' };
    const [key, item] = Object.entries(value).find(([name, each]) => !isGood({ [name]: each })) ?? ['', null];
    return elementProblem(field, item, registry, `${path}['${key}']`);
  }
  return elementProblem(field, value, registry, path);
}

function elementProblem(field: DescField, value: JsonValue, registry: Registry, path: string): FieldViolation {
  if (field.message !== undefined) return jsonProblem(field.message, value, registry, path) ?? { field: path, description: otherForm };
  if (field.enum !== undefined)
    return { field: path, description: `must be one of ${field.enum.values.map(({ name }) => name).join(', ')}` };
  return { field: path, description: field.scalar === undefined ? otherForm : scalarForms[field.scalar] };
}

function isDecodable(schema: DescMessage, json: JsonValue, registry: Registry): boolean {
  try {
    fromJson(schema, json, { registry });
    return true;
  } catch {
    return false;
  }
}

function knownFields(schema: DescMessage): string {
  return schema.fields.length === 0 ? 'none is known here' : `must be one of ${schema.fields.map(({ name }) => name).join(', ')}`;
}

function isObject(value: JsonValue): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const joined = (path: string, name: string): string => (path === '' ? name : `${path}.${name}`);
const otherForm = 'has the wrong form';
const whole = (low: string, high: string): string => `must be a whole number from ${low} to ${high}`;
const int32 = whole('-2147483648', '2147483647');
const uint32 = whole('0', '4294967295');
const int64 = whole('-9223372036854775808', '9223372036854775807');
const uint64 = whole('0', '18446744073709551615');

const scalarForms: Readonly<Record<ScalarType, string>> = {
  [ScalarType.STRING]: 'must be a string of Unicode characters',
  [ScalarType.BYTES]: 'must be a string of base64',
  [ScalarType.BOOL]: 'must be true or false',
  [ScalarType.DOUBLE]: 'must be a number',
  [ScalarType.FLOAT]: 'must be a number of single precision',
  [ScalarType.INT32]: int32,
  [ScalarType.SINT32]: int32,
  [ScalarType.SFIXED32]: int32,
  [ScalarType.UINT32]: uint32,
  [ScalarType.FIXED32]: uint32,
  [ScalarType.INT64]: int64,
  [ScalarType.SINT64]: int64,
  [ScalarType.SFIXED64]: int64,
  [ScalarType.UINT64]: uint64,
  [ScalarType.FIXED64]: uint64,
};
