/**
 * What the server demands of a CRD's schema before it accepts it: that it is structural (every value has one type, said in one
 * place) and that its keywords make sense. Rules about the cost of CEL expressions are left out.
 */

import type { FieldProblem } from './api-status.ts';
import { celProblem } from './cel/cel-environment.ts';
import { goPattern } from './cel/go-pattern.ts';
import { crdSchema } from './crd-schema.ts';
import { field, isArray, isObject, type Json, type JsonObject, jsonEqual, jsonTypeName } from './json.ts';
import { prune } from './prune.ts';
import { listProblems } from './structural-lists.ts';
import { validateValue } from './validate-custom-resource.ts';
import { problem } from './value-rules.ts';

const types = ['array', 'boolean', 'integer', 'number', 'object', 'string'];
const unsupported = ['$ref', 'definitions', 'dependencies', 'id', 'patternProperties', 'additionalItems'];
/** What may not stand below `allOf`, `anyOf`, `oneOf` and `not`, where values already have their type. */
const structureOnly: Readonly<Record<string, 'empty' | 'undefined' | 'false'>> = {
  type: 'empty',
  description: 'empty',
  title: 'empty',
  default: 'undefined',
  additionalProperties: 'undefined',
  nullable: 'false',
  'x-kubernetes-preserve-unknown-fields': 'false',
  'x-kubernetes-int-or-string': 'false',
  'x-kubernetes-embedded-resource': 'false',
  'x-kubernetes-list-type': 'undefined',
  'x-kubernetes-list-map-keys': 'empty',
  'x-kubernetes-map-type': 'undefined',
  'x-kubernetes-validations': 'empty',
};

type Place = 'root' | 'object fields' | 'array items';

/** Against the schema of one version. `at` is where it stands in the CRD: `spec.validation.openAPIV3Schema` when all versions share it. */
export function structuralProblems(schema: Json | undefined, at: string): readonly FieldProblem[] {
  if (!isObject(schema)) return [problem(at, 'FieldValueRequired', 'Required value: schemas are required')];
  return [...ofObject(schema, at), ...ofSchema(schema, at, 'root')];
}

function ofObject(schema: JsonObject, at: string): FieldProblem[] {
  const properties = objectAt(schema, 'properties');
  const problems: FieldProblem[] = [];
  for (const name of ['apiVersion', 'kind']) {
    const type = typeText(properties[name]);
    if (type !== undefined && type !== 'string') problems.push(invalid(`${at}.properties[${name}].type`, type, 'must be string'));
  }
  const metadata = properties['metadata'];
  if (isObject(metadata)) {
    const type = typeText(metadata);
    const place = `${at}.properties[metadata]`;
    if (type !== undefined && type !== 'object') problems.push(invalid(`${place}.type`, type, 'must be object'));
    const others = Object.keys(objectAt(metadata, 'properties')).some((name) => name !== 'name' && name !== 'generateName');
    if (others)
      problems.push(forbidden(place, 'must not specify anything other than name and generateName, but metadata is implicitly specified'));
  }
  return problems;
}

function ofSchema(schema: JsonObject, at: string, place: Place): FieldProblem[] {
  return [
    ...typeRules(schema, at, place),
    ...keywordRules(schema, at, place),
    ...listProblems(schema, at),
    ...celRules(schema, at),
    ...defaultRules(schema, at),
    ...junctorRules(schema, at),
    ...below(schema, at),
  ];
}

function below(schema: JsonObject, at: string): FieldProblem[] {
  const { items, additionalProperties } = schema;
  const fields = Object.entries(objectAt(schema, 'properties')).flatMap(([name, child]) =>
    isObject(child) ? ofSchema(child, `${at}.properties[${name}]`, 'object fields') : [],
  );
  return [
    ...fields,
    ...(isObject(items) ? ofSchema(items, `${at}.items`, 'array items') : []),
    ...(isObject(additionalProperties) ? ofSchema(additionalProperties, `${at}.additionalProperties`, 'object fields') : []),
  ];
}

function typeRules(schema: JsonObject, at: string, place: Place): FieldProblem[] {
  const type = typeText(schema);
  const isUntyped = schema['x-kubernetes-int-or-string'] === true || schema['x-kubernetes-preserve-unknown-fields'] === true;
  if (type === undefined) {
    if (place !== 'root' && (isUntyped || Object.hasOwn(schema, '$ref'))) return [];
    const where = place === 'root' ? 'at the root' : `for specified ${place}`;
    return [problem(`${at}.type`, 'FieldValueRequired', `Required value: must not be empty ${where}`)];
  }
  if (place === 'root' && type !== 'object') return [invalid(`${at}.type`, type, 'must be object at the root')];
  const problems: FieldProblem[] = [];
  if (!types.includes(type)) {
    const names = types.map((each) => JSON.stringify(each)).join(', ');
    problems.push(
      problem(`${at}.type`, 'FieldValueNotSupported', `Unsupported value: ${JSON.stringify(type)}: supported values: ${names}`),
    );
  }
  if (type === 'null') problems.push(forbidden(`${at}.type`, 'type cannot be set to null, use nullable as an alternative'));
  if (type === 'array' && !isObject(schema['items']))
    problems.push(problem(`${at}.items`, 'FieldValueRequired', 'Required value: must be specified'));
  return problems;
}

function keywordRules(schema: JsonObject, at: string, place: Place): FieldProblem[] {
  const problems = unsupported
    .filter((key) => Object.hasOwn(schema, key))
    .map((key) => forbidden(`${at}.${key}`, `${key} is not supported`));
  const { additionalProperties, pattern } = schema;
  if (isObject(additionalProperties) || additionalProperties === true) {
    if (place === 'root') problems.push(forbidden(`${at}.additionalProperties`, 'must not be used at the root'));
    if (Object.keys(objectAt(schema, 'properties')).length > 0) {
      problems.push(forbidden(`${at}.additionalProperties`, 'additionalProperties and properties are mutual exclusive'));
    }
  }
  if (schema['uniqueItems'] === true) {
    problems.push(forbidden(`${at}.uniqueItems`, 'uniqueItems cannot be set to true since the runtime complexity becomes quadratic'));
  }
  if (typeof pattern === 'string' && goPattern(pattern) === undefined) {
    problems.push(invalid(`${at}.pattern`, pattern, "must be a valid regular expression, but isn't"));
  }
  if (schema['x-kubernetes-preserve-unknown-fields'] === false) {
    problems.push(invalid(`${at}.x-kubernetes-preserve-unknown-fields`, false, 'must be true or undefined'));
  }
  if (schema['x-kubernetes-embedded-resource'] === true && schema['x-kubernetes-preserve-unknown-fields'] !== true) {
    if (Object.keys(objectAt(schema, 'properties')).length === 0) {
      const rule = 'must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields';
      problems.push(problem(`${at}.properties`, 'FieldValueRequired', `Required value: ${rule}`));
    }
  }
  return problems;
}

function celRules(schema: JsonObject, at: string): FieldProblem[] {
  const rules = schema['x-kubernetes-validations'];
  if (!isArray(rules)) return [];
  return rules.flatMap((each, index) => {
    const place = `${at}.x-kubernetes-validations[${index}]`;
    const rule = isObject(each) ? String(field(each, 'rule') ?? '').trim() : '';
    if (rule === '') return [problem(`${place}.rule`, 'FieldValueRequired', 'Required value: rule is not specified')];
    const message = isObject(each) ? field(each, 'message') : undefined;
    if (typeof message === 'string' && message.includes('\n'))
      return [invalid(`${place}.message`, message, 'must not contain line breaks')];
    const why = celProblem(rule, 'bool');
    return why === undefined ? [] : [invalid(`${place}.rule`, rule, why)];
  });
}

function defaultRules(schema: JsonObject, at: string): FieldProblem[] {
  const value = field(schema, 'default');
  if (value === undefined) return [];
  const node = crdSchema({ type: 'object', properties: { value: schema } }).properties?.['value'];
  if (node === undefined) return [];
  if (isObject(value) && !jsonEqual(prune(node, value).object, value))
    return [invalid(`${at}.default`, value, 'must not have unknown fields')];
  return validateValue(node, value, '').map(({ field: where, reason, message }) => ({
    field: where === '' ? `${at}.default` : `${at}.default.${where}`,
    reason,
    message,
  }));
}

function junctorRules(schema: JsonObject, at: string): FieldProblem[] {
  const lists = ['allOf', 'anyOf', 'oneOf'].flatMap((key) => {
    const list = schema[key];
    return isArray(list) ? list.map((child, index) => ({ child, place: `${at}.${key}[${index}]` })) : [];
  });
  const isUntyped = schema['x-kubernetes-int-or-string'] === true;
  return [...lists, { child: schema['not'] ?? null, place: `${at}.not` }].flatMap(({ child, place }) =>
    isObject(child) ? withoutStructure(child, place, isUntyped) : [],
  );
}

function withoutStructure(schema: JsonObject, at: string, mayBeTyped: boolean): FieldProblem[] {
  const strays = Object.entries(structureOnly).filter(([key]) => Object.hasOwn(schema, key) && !(mayBeTyped && key === 'type'));
  const { items } = schema;
  return [
    ...strays.map(([key, wanted]) => forbidden(`${at}.${key}`, `must be ${wanted} to be structural`)),
    ...Object.entries(objectAt(schema, 'properties')).flatMap(([name, child]) =>
      isObject(child) ? withoutStructure(child, `${at}.properties[${name}]`, false) : [],
    ),
    ...(isObject(items) ? withoutStructure(items, `${at}.items`, false) : []),
    ...junctorRules(schema, at),
  ];
}

function typeText(schema: Json | undefined): string | undefined {
  const type = isObject(schema) ? field(schema, 'type') : undefined;
  if (type === undefined || type === '') return undefined;
  return typeof type === 'string' ? type : jsonTypeName(type);
}

function objectAt(schema: JsonObject, key: string): JsonObject {
  const value = field(schema, key);
  return isObject(value) ? value : {};
}

function invalid(place: string, value: Json, rule: string): FieldProblem {
  return problem(place, 'FieldValueInvalid', `Invalid value: ${JSON.stringify(value)}: ${rule}`);
}

function forbidden(place: string, rule: string): FieldProblem {
  return problem(place, 'FieldValueForbidden', `Forbidden: ${rule}`);
}
