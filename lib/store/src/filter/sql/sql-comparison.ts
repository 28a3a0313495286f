import type { FieldColumn } from '../contract/columns-of.ts';
import type { SqlParameters } from '../contract/sql-parameters.ts';
import { maxInt, minInt } from '../language/bounds.ts';
import type { Domain, Value } from '../language/node.ts';
import type { CompareOperator } from '../language/syntax.ts';
import { doubleComparison, type Share, sqlOperator } from './sql-scalars.ts';

/** `a < b` is `b > a`. */
export function mirrored(operator: CompareOperator): CompareOperator {
  switch (operator) {
    case '<':
      return '>';
    case '<=':
      return '>=';
    case '>':
      return '<';
    case '>=':
      return '<=';
    default:
      return operator;
  }
}

/** Of two values in the forms of the domain. */
export function comparisonSql(operator: CompareOperator, domain: Domain, left: string, right: string, share: Share): string {
  switch (domain) {
    case 'string':
      return `${left} ${orderedBy(operator)}${sqlOperator(operator)} ${right}`;
    case 'double':
      return doubleComparison(operator, `(${left})::float8`, `(${right})::float8`, share);
    default:
      return `${left} ${sqlOperator(operator)} ${right}`;
  }
}

/** Equality is the same in every collation; order is by code point. */
function orderedBy(operator: CompareOperator): string {
  return operator === '==' || operator === '!=' ? '' : 'collate "C" ';
}

/** A column beside a literal, so that its index applies: `class = $1::text`, of the type of the column. Undefined where that would not mean the same as in memory. */
export function columnComparison(
  operator: CompareOperator,
  domain: Domain,
  { sql, form, isNullable }: FieldColumn,
  value: Value,
  parameters: SqlParameters,
): string | undefined {
  if (isNullable === true) return undefined;
  const compared = (type: string): string =>
    `${sql} ${domain === 'string' ? orderedBy(operator) : ''}${sqlOperator(operator)} ${parameters.add(String(value), type)}`;
  switch (form) {
    case 'text':
      // In the text, so that a partial index applies: whether something is set at all is what most of them are for.
      if (value === '' && (operator === '==' || operator === '!=')) return `${sql} ${sqlOperator(operator)} ''`;
      return domain === 'string' ? compared('text') : undefined;
    case 'bigint':
      return typeof value === 'bigint' && value >= minInt && value <= maxInt ? compared('bigint') : undefined;
    case 'double':
      // NaN is above everything in SQL, and a literal is never NaN.
      return operator === '>' || operator === '>=' ? undefined : compared('float8');
    default:
      return undefined;
  }
}

/** The text of a `like` pattern for literal text. */
export function likePattern(test: 'contains' | 'startsWith' | 'endsWith', text: string): string {
  const escaped = text.replaceAll(/[\\%_]/g, '\\$&');
  return `${test === 'startsWith' ? '' : '%'}${escaped}${test === 'endsWith' ? '' : '%'}`;
}

/** From the results of the body, one row each in the column `result` of `results`. */
export function verdictSql(quantifier: 'all' | 'exists' | 'exists_one', results: string, result: string): string {
  const unknown = `bool_or(${result} is null)`;
  switch (quantifier) {
    case 'all':
      return `(select case when bool_or(not ${result}) then false when ${unknown} then null else true end from ${results})`;
    case 'exists':
      return `(select case when bool_or(${result}) then true when ${unknown} then null else false end from ${results})`;
    case 'exists_one':
      return `(select case when ${unknown} then null else count(*) filter (where ${result}) = 1 end from ${results})`;
  }
}
