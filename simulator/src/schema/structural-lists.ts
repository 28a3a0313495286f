import type { FieldProblem } from './api-status.ts';
import { field, isArray, isObject, type JsonObject } from './json.ts';
import { problem } from './value-rules.ts';

const listTypes = ['atomic', 'set', 'map'];
const mapTypes = ['atomic', 'granular'];

/** What is wrong with `x-kubernetes-list-type`, its keys and `x-kubernetes-map-type` of one schema. */
export function listProblems(schema: JsonObject, at: string): FieldProblem[] {
  const { type } = schema;
  const listType = field(schema, 'x-kubernetes-list-type');
  const mapType = field(schema, 'x-kubernetes-map-type');
  const problems: FieldProblem[] = [];
  if (mapType !== undefined && !mapTypes.includes(String(mapType)))
    problems.push(notSupported(`${at}.x-kubernetes-map-type`, mapType, mapTypes));
  if (listType === undefined) return problems;
  if (!listTypes.includes(String(listType))) return [...problems, notSupported(`${at}.x-kubernetes-list-type`, listType, listTypes)];
  if (type !== 'array') {
    const rule = 'must be array if x-kubernetes-list-type is specified';
    problems.push(problem(`${at}.type`, 'FieldValueInvalid', `Invalid value: ${JSON.stringify(type ?? '')}: ${rule}`));
  }
  if (listType === 'map') problems.push(...mapListProblems(schema, at));
  if (listType === 'set') problems.push(...setProblems(schema, at));
  return problems;
}

function mapListProblems(schema: JsonObject, at: string): FieldProblem[] {
  const place = `${at}.x-kubernetes-list-map-keys`;
  const keys = field(schema, 'x-kubernetes-list-map-keys');
  if (!isArray(keys) || keys.length === 0) {
    return [problem(place, 'FieldValueRequired', 'Required value: must not be empty if x-kubernetes-list-type is map')];
  }
  const items = isObject(schema['items']) ? schema['items'] : {};
  const properties = isObject(items['properties']) ? items['properties'] : {};
  const required = isArray(items['required']) ? items['required'] : [];
  if (keys.some((key) => !Object.hasOwn(properties, String(key)))) {
    const rule = 'entries must all be names of item properties';
    return [problem(place, 'FieldValueInvalid', `Invalid value: ${JSON.stringify(keys)}: ${rule}`)];
  }
  return keys.flatMap((key) => {
    const child = properties[String(key)];
    if (required.includes(key) || (isObject(child) && Object.hasOwn(child, 'default'))) return [];
    const rule = 'this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property';
    return [problem(`${at}.items.properties[${String(key)}].default`, 'FieldValueRequired', `Required value: ${rule}`)];
  });
}

function setProblems(schema: JsonObject, at: string): FieldProblem[] {
  const items = isObject(schema['items']) ? schema['items'] : {};
  const key = items['type'] === 'object' ? 'x-kubernetes-map-type' : items['type'] === 'array' ? 'x-kubernetes-list-type' : undefined;
  const isAtomicByItself = key === 'x-kubernetes-list-type' && items[key] === undefined;
  if (key === undefined || items[key] === 'atomic' || isAtomicByItself) return [];
  const rule = 'must be atomic as item of a list with x-kubernetes-list-type=set';
  return [problem(`${at}.items.${key}`, 'FieldValueInvalid', `Invalid value: ${JSON.stringify(items[key] ?? null)}: ${rule}`)];
}

function notSupported(place: string, value: unknown, supported: readonly string[]): FieldProblem {
  const names = supported.map((each) => JSON.stringify(each)).join(', ');
  return problem(place, 'FieldValueNotSupported', `Unsupported value: ${JSON.stringify(value)}: supported values: ${names}`);
}
