import { type FieldProblem, problems } from './api-status.ts';
import { celProblem } from './cel/cel-environment.ts';
import { goPattern } from './cel/go-pattern.ts';
import { isArray, isObject, type Json, type JsonObject } from './json.ts';

const types = ['array', 'boolean', 'integer', 'number', 'object', 'string'];
const unsupported = ['$ref', 'definitions', 'dependencies', 'id', 'patternProperties', 'additionalItems'];

type Place = 'root' | 'object fields' | 'array items';

/**
 * What makes the schema of a CRD's version unusable: a value without a type, a keyword that Kubernetes has not, a pattern or a rule that
 * does not compile. The real server demands more; `at` is where the schema stands in the CRD.
 */
export function structuralProblems(schema: Json | undefined, at: string): readonly FieldProblem[] {
  return isObject(schema) ? ofSchema(schema, at, 'root') : [problems.required(at, 'schemas are required')];
}

function ofSchema(schema: JsonObject, at: string, place: Place): FieldProblem[] {
  const { properties = {}, items, additionalProperties, pattern } = schema;
  const found = [...typeProblems(schema, at, place), ...celProblems(schema, at)];
  for (const key of unsupported) if (Object.hasOwn(schema, key)) found.push(problems.forbidden(`${at}.${key}`, `${key} is not supported`));
  if (typeof pattern === 'string' && goPattern(pattern) === undefined)
    found.push(problems.invalid(`${at}.pattern`, pattern, "must be a valid regular expression, but isn't"));
  if (schema['x-kubernetes-list-type'] === 'map' && !isArray(schema['x-kubernetes-list-map-keys']))
    found.push(problems.required(`${at}.x-kubernetes-list-map-keys`, 'must not be empty if x-kubernetes-list-type is map'));
  for (const [name, child] of Object.entries(isObject(properties) ? properties : {}))
    if (isObject(child)) found.push(...ofSchema(child, `${at}.properties[${name}]`, 'object fields'));
  if (isObject(items)) found.push(...ofSchema(items, `${at}.items`, 'array items'));
  if (isObject(additionalProperties)) found.push(...ofSchema(additionalProperties, `${at}.additionalProperties`, 'object fields'));
  return found;
}

function typeProblems(schema: JsonObject, at: string, place: Place): FieldProblem[] {
  const type = schema['type'] ?? '';
  const isUntyped = schema['x-kubernetes-int-or-string'] === true || schema['x-kubernetes-preserve-unknown-fields'] === true;
  if (type === '') {
    if (place !== 'root' && (isUntyped || Object.hasOwn(schema, '$ref'))) return [];
    return [problems.required(`${at}.type`, `must not be empty ${place === 'root' ? 'at the root' : `for specified ${place}`}`)];
  }
  if (place === 'root' && type !== 'object') return [problems.invalid(`${at}.type`, type, 'must be object at the root')];
  if (!types.includes(String(type))) return [problems.unsupported(`${at}.type`, type, types)];
  return type === 'array' && !isObject(schema['items']) ? [problems.required(`${at}.items`, 'must be specified')] : [];
}

function celProblems(schema: JsonObject, at: string): FieldProblem[] {
  const rules = schema['x-kubernetes-validations'];
  if (!isArray(rules)) return [];
  return rules.flatMap((each, index) => {
    const place = `${at}.x-kubernetes-validations[${index}].rule`;
    const rule = isObject(each) ? String(each['rule'] ?? '').trim() : '';
    if (rule === '') return [problems.required(place, 'rule is not specified')];
    const why = celProblem(rule, 'bool');
    return why === undefined ? [] : [problems.invalid(place, rule, why)];
  });
}
