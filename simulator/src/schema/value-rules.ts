/** The rules of a schema for a single value, whatever is below it. */

import type { FieldProblem, FieldReason } from './api-status.ts';
import { hasFormat } from './cel/formats.ts';
import { goPattern } from './cel/go-pattern.ts';
import { isArray, isObject, type Json, jsonEqual, jsonTypeName } from './json.ts';
import type { SchemaNode } from './schema-node.ts';

/** Problems about a value as a whole are filed under this name. */
export const nowhere = '<nil>';

export function problem(field: string, reason: FieldReason, message: string): FieldProblem {
  return { field, reason, message };
}

/** Why the value is of a wrong type; nothing when its type is right. */
export function typeProblems({ type, nullable }: SchemaNode, value: Json, path: string): FieldProblem[] {
  if (value === null && nullable === true) return [];
  const found = jsonTypeName(value);
  const wanted = type === 'int-or-string' ? 'integer,string' : type;
  const isRight = wanted === 'any' || wanted.split(',').includes(found) || (wanted === 'number' && found === 'integer');
  if (isRight) return [];
  const mismatch = problem(
    path,
    'FieldValueTypeInvalid',
    `Invalid value: "${found}": ${path} in body must be of type ${wanted}: "${found}"`,
  );
  if (wanted !== 'integer' || found !== 'number') return [mismatch];
  return [
    mismatch,
    problem(nowhere, 'FieldValueInvalid', `Invalid value: "": Checked value must be of type integer (default format) in ${path}`),
  ];
}

/** Problems with the value itself, under the assumption that its type is right. */
export function valueProblems({ rules = {} }: SchemaNode, value: Json, path: string): FieldProblem[] {
  if (value === null) return [];
  const own = isArray(value)
    ? countProblems(rules, value.length, path, { min: 'minItems', max: 'maxItems', noun: 'items' })
    : isObject(value)
      ? countProblems(rules, Object.keys(value).length, path, { min: 'minProperties', max: 'maxProperties', noun: 'properties' })
      : typeof value === 'string'
        ? textProblems(rules, value, path)
        : typeof value === 'number'
          ? numberProblems(rules, value, path)
          : [];
  return [...own, ...enumProblems(rules, value, path)];
}

type Rules = Readonly<Record<string, unknown>>;

function invalid(path: string, value: Json, rule: string): FieldProblem {
  return problem(path, 'FieldValueInvalid', `Invalid value: ${JSON.stringify(value)}: ${path} in body ${rule}`);
}

function* textRules(rules: Rules, text: string, path: string): Generator<FieldProblem> {
  const { minLength, maxLength, pattern, format } = rules;
  const length = Array.from(text).length;
  if (typeof maxLength === 'number' && length > maxLength) {
    yield problem(path, 'FieldValueTooLong', `Too long: may not be more than ${maxLength} bytes`);
  }
  if (typeof minLength === 'number' && length < minLength) yield invalid(path, text, `should be at least ${minLength} chars long`);
  if (typeof pattern === 'string' && !(goPattern(pattern)?.test(text) ?? true)) yield invalid(path, text, `should match '${pattern}'`);
  if (typeof format === 'string' && !hasFormat(format, text)) {
    const quoted = JSON.stringify(text);
    yield problem(path, 'FieldValueTypeInvalid', `Invalid value: ${quoted}: ${path} in body must be of type ${format}: ${quoted}`);
  }
}

const textProblems = (rules: Rules, text: string, path: string): FieldProblem[] => [...textRules(rules, text, path)];

function numberProblems(rules: Rules, value: number, path: string): FieldProblem[] {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf, format } = rules;
  const outOfRange = formatLimit(format, value);
  if (outOfRange !== undefined) {
    const message = `Invalid value: "": Checked value must be of type ${outOfRange} with format ${String(format)} in ${path}`;
    return [problem(nowhere, 'FieldValueInvalid', message)];
  }
  const problems: FieldProblem[] = [];
  if (typeof multipleOf === 'number' && !Number.isInteger(value / multipleOf)) {
    problems.push(invalid(path, value, `should be a multiple of ${multipleOf}`));
  }
  if (typeof maximum === 'number' && (exclusiveMaximum === true ? value >= maximum : value > maximum)) {
    problems.push(invalid(path, value, `should be less than ${exclusiveMaximum === true ? '' : 'or equal to '}${maximum}`));
  }
  if (typeof minimum === 'number' && (exclusiveMinimum === true ? value <= minimum : value < minimum)) {
    problems.push(invalid(path, value, `should be greater than ${exclusiveMinimum === true ? '' : 'or equal to '}${minimum}`));
  }
  return problems;
}

/** The type whose format cannot hold the number. */
function formatLimit(format: unknown, value: number): 'integer' | 'number' | undefined {
  if (format === 'int32') return Math.abs(value) > 2 ** 31 - 1 && value !== -(2 ** 31) ? 'integer' : undefined;
  if (format === 'int64') return value >= 2 ** 63 || value < -(2 ** 63) ? 'integer' : undefined;
  if (format === 'float') return Number.isFinite(Math.fround(value)) ? undefined : 'number';
  return undefined;
}

function countProblems(
  rules: Rules,
  count: number,
  path: string,
  { min, max, noun }: { readonly min: string; readonly max: string; readonly noun: string },
): FieldProblem[] {
  const [least, most] = [rules[min], rules[max]];
  if (typeof most === 'number' && count > most) {
    return [problem(path, 'FieldValueTooMany', `Too many: ${count}: must have at most ${most} items`)];
  }
  if (typeof least === 'number' && count < least) return [invalid(path, count, `should have at least ${least} ${noun}`)];
  return [];
}

function enumProblems(rules: Rules, value: Json, path: string): FieldProblem[] {
  const allowed = rules['enum'];
  if (!isArray(allowed) || allowed.length === 0 || allowed.some((each) => jsonEqual(each, value))) return [];
  const names = allowed.map((each) => JSON.stringify(typeof each === 'string' ? each : JSON.stringify(each)));
  return [problem(path, 'FieldValueNotSupported', `Unsupported value: ${JSON.stringify(value)}: supported values: ${names.join(', ')}`)];
}
