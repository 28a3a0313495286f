import { type FieldProblem, problems } from './api-status.ts';
import { celProblems, hasRules } from './cel-rules.ts';
import { isEmbedded, junctorsOf } from './crd-schema.ts';
import { field, isArray, isObject, type Json, type JsonObject, jsonEqual } from './json.ts';
import { keyOfItem } from './list-keys.ts';
import type { SchemaNode } from './schema-node.ts';
import { nowhere, problem, typeProblems, valueProblems } from './value-rules.ts';

const notChecked =
  'some validation rules were not checked because the object was invalid; correct the existing errors to complete validation';
/** After one of these a rule in CEL could not be evaluated in peace. */
const blocking = new Set([
  'FieldValueRequired',
  'FieldValueTypeInvalid',
  'FieldValueNotSupported',
  'FieldValueTooLong',
  'FieldValueTooMany',
]);

/**
 * What the schema of a CRD says against a custom resource; nothing when it is valid. With the object as stored, what has not
 * changed is not held against the write, and rules about `oldSelf` are checked. Defaults must be in, unknown fields out.
 */
export function validateCustomResource(schema: SchemaNode, object: JsonObject, stored?: JsonObject): readonly FieldProblem[] {
  const found = check(schema, object, stored, '');
  if (!hasRules(schema)) return found;
  if (found.some(({ reason }) => blocking.has(reason))) {
    return [...found, problem(nowhere, 'FieldValueInvalid', `Invalid value: null: ${notChecked}`)];
  }
  return [...found, ...celProblems(schema, object, stored)];
}

function check(schema: SchemaNode, value: Json, stored: Json | undefined, path: string): FieldProblem[] {
  if (stored !== undefined && jsonEqual(value, stored)) return [];
  const wrongType = typeProblems(schema, value, path);
  if (wrongType.length > 0) return [...wrongType, ...junctorProblems(schema, value, path)];
  const below = isArray(value)
    ? itemProblems(schema, value, stored, path)
    : isObject(value)
      ? fieldProblems(schema, value, stored, path)
      : [];
  return [...junctorProblems(schema, value, path), ...valueProblems(schema, value, path), ...below];
}

function fieldProblems(schema: SchemaNode, value: JsonObject, stored: Json | undefined, path: string): FieldProblem[] {
  const at = (name: string) => (path === '' ? name : `${path}.${name}`);
  const needed = isEmbedded(schema) ? ['apiVersion', 'kind', ...(schema.required ?? [])] : (schema.required ?? []);
  const missing = needed.filter((name) => field(value, name) === undefined).map((name) => problems.required(at(name)));
  const below = Object.entries(value).flatMap(([name, child]) => {
    const { properties = {}, additional } = schema;
    const known = Object.hasOwn(properties, name) ? properties[name] : additional;
    return known === undefined ? [] : check(known, child, isObject(stored) ? field(stored, name) : undefined, at(name));
  });
  return [...missing, ...below];
}

function itemProblems(schema: SchemaNode, items: readonly Json[], stored: Json | undefined, path: string): FieldProblem[] {
  const seen = new Set<string>();
  return items.flatMap((item, index) => {
    const at = `${path}[${index}]`;
    const key = keyOfItem(schema, item);
    const text = key === undefined ? undefined : JSON.stringify(key);
    const isDouble = text !== undefined && seen.has(text);
    if (text !== undefined) seen.add(text);
    const double = isDouble ? [problem(at, 'FieldValueDuplicate', `Duplicate value: ${text}`)] : [];
    const former = isArray(stored) ? formerItem(schema, stored, text) : undefined;
    return [...double, ...(schema.items === undefined ? [] : check(schema.items, item, former, at))];
  });
}

function formerItem(schema: SchemaNode, stored: readonly Json[], key: string | undefined): Json | undefined {
  return key === undefined ? undefined : stored.find((item) => JSON.stringify(keyOfItem(schema, item)) === key);
}

function junctorProblems(schema: SchemaNode, value: Json, path: string): FieldProblem[] {
  if (schema.rules === undefined) return [];
  const { allOf, anyOf, oneOf, not } = junctorsOf(schema);
  const outcomes = (list: readonly SchemaNode[]) => list.map((each) => check(each, value, undefined, path));
  const says = (text: string) => problem(nowhere, 'FieldValueInvalid', `Invalid value: "": "${path}" must ${text}`);
  const found: FieldProblem[] = [];
  const any = outcomes(anyOf);
  if (any.length > 0 && any.every((each) => each.length > 0)) found.push(says('validate at least one schema (anyOf)'), ...(any[0] ?? []));
  const one = outcomes(oneOf);
  const valid = one.filter((each) => each.length === 0).length;
  if (one.length > 0 && valid !== 1) {
    const outcome = valid === 0 ? 'Found none valid' : `Found ${valid} valid alternatives`;
    found.push(says(`validate one and only one schema (oneOf). ${outcome}`), ...(valid === 0 ? (one[0] ?? []) : []));
  }
  const all = outcomes(allOf);
  const failed = all.filter((each) => each.length > 0);
  if (failed.length > 0) {
    const none = failed.length === all.length ? '. None validated' : '';
    found.push(...failed.flat(), says(`validate all the schemas (allOf)${none}`));
  }
  if (not !== undefined && check(not, value, undefined, path).length === 0) found.push(says('not validate the schema (not)'));
  return found;
}
