/** `x-kubernetes-validations`: rules in CEL about a value and, on an update, about its former self. */
import { Optional } from '@marcbachmann/cel-js';
import type { FieldProblem, FieldReason } from './api-status.ts';
import { celErrorText, compileCel } from './cel/cel-environment.ts';
import { celValue } from './cel-values.ts';
import { field, isArray, isObject, type Json, type JsonObject, jsonEqual, jsonTypeName } from './json.ts';
import { keyOfItem } from './list-keys.ts';
import type { SchemaNode } from './schema-node.ts';

interface CelRule {
  readonly rule: string;
  readonly message: string | undefined;
  readonly messageExpression: string | undefined;
  readonly reason: FieldReason;
  readonly fieldPath: string;
  readonly isOldSelfOptional: boolean;
}

/** Whether the schema has a rule anywhere. */
export function hasRules(schema: SchemaNode): boolean {
  const known = ruled.get(schema);
  if (known !== undefined) return known;
  const parts = [...Object.values(schema.properties ?? {}), schema.items, schema.additional];
  const found = rulesOf(schema).length > 0 || parts.some((part) => part !== undefined && hasRules(part));
  ruled.set(schema, found);
  return found;
}

const ruled = new WeakMap<SchemaNode, boolean>();

export function celProblems(schema: SchemaNode, object: JsonObject, stored: JsonObject | undefined): FieldProblem[] {
  return walk(schema, object, stored, '');
}

function walk(schema: SchemaNode, value: Json, stored: Json | undefined, path: string): FieldProblem[] {
  // Built-in parts, like the metadata, have none.
  if (!hasRules(schema)) return [];
  const own = value === null ? [] : rulesOf(schema).flatMap((rule) => ruleProblems(rule, schema, value, stored, path));
  return [...own, ...below(schema, value, stored, path)];
}

function below(schema: SchemaNode, value: Json, stored: Json | undefined, path: string): FieldProblem[] {
  if (isArray(value)) {
    const { items } = schema;
    if (items === undefined) return [];
    return value.flatMap((item, index) => walk(items, item, formerItem(schema, item, stored), `${path}[${index}]`));
  }
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([name, child]) => {
    const { properties = {}, additional } = schema;
    const known = Object.hasOwn(properties, name) ? properties[name] : additional;
    if (known === undefined) return [];
    return walk(known, child, isObject(stored) ? field(stored, name) : undefined, path === '' ? name : `${path}.${name}`);
  });
}

/** Only items of a map can be told to be the same as before. */
function formerItem(list: SchemaNode, item: Json, stored: Json | undefined): Json | undefined {
  if (list.listType !== 'map' || !isArray(stored)) return undefined;
  const key = keyOfItem(list, item) ?? null;
  return stored.find((each) => jsonEqual(keyOfItem(list, each) ?? null, key));
}

function ruleProblems(rule: CelRule, schema: SchemaNode, value: Json, stored: Json | undefined, path: string): FieldProblem[] {
  const isTransition = /\boldSelf\b/.test(rule.rule);
  if (isTransition && stored === undefined && !rule.isOldSelfOptional) return [];
  if (!isTransition && stored !== undefined && jsonEqual(value, stored)) return [];
  const old = stored === undefined ? undefined : celValue(schema, stored);
  const oldSelf = rule.isOldSelfOptional ? Optional.of(old) : old;
  const variables = { self: celValue(schema, value), ...(isTransition ? { oldSelf } : {}) };
  try {
    const holds: unknown = compileCel(rule.rule)(variables);
    return holds === true ? [] : [failed(rule, value, `${path}${rule.fieldPath}`, messageOf(rule, variables))];
  } catch (error) {
    const why = `${celErrorText(error)} evaluating rule: ${rule.message ?? rule.rule}`;
    return [{ field: path, reason: 'FieldValueInvalid', message: `Invalid value: "${jsonTypeName(value)}": ${why}` }];
  }
}

function messageOf(rule: CelRule, variables: object): string {
  const plain = rule.message ?? `failed rule: ${rule.rule}`;
  if (rule.messageExpression === undefined) return plain;
  try {
    const text: unknown = compileCel(rule.messageExpression)({ ...variables });
    return typeof text === 'string' && text.trim() !== '' && !text.includes('\n') ? text : plain;
  } catch {
    return plain;
  }
}

function failed({ reason }: CelRule, value: Json, path: string, why: string): FieldProblem {
  if (reason === 'FieldValueForbidden') return { field: path, reason, message: `Forbidden: ${why}` };
  if (reason === 'FieldValueRequired') return { field: path, reason, message: `Required value: ${why}` };
  const word = reason === 'FieldValueDuplicate' ? 'Duplicate value' : 'Invalid value';
  // Of a value with parts the server does not print the value.
  const text = isObject(value) || isArray(value) ? '' : `${JSON.stringify(value)}: `;
  return { field: path, reason, message: `${word}: ${text}${why}` };
}

function rulesOf({ rules }: SchemaNode): readonly CelRule[] {
  const list = rules?.['x-kubernetes-validations'];
  if (!isArray(list)) return [];
  return list.filter(isObject).map((each) => ({
    rule: String(each['rule'] ?? '').trim(),
    message: nonEmpty(each['message']),
    messageExpression: nonEmpty(each['messageExpression']),
    reason: (nonEmpty(each['reason']) ?? 'FieldValueInvalid') as FieldReason,
    fieldPath: nonEmpty(each['fieldPath']) ?? '',
    isOldSelfOptional: each['optionalOldSelf'] === true,
  }));
}

function nonEmpty(text: Json | undefined): string | undefined {
  return typeof text === 'string' && text !== '' ? text : undefined;
}
