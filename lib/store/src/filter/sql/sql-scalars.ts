/**
 * SQL of single values. Each type has one form: text, numeric (for all integers, points in time and durations in microseconds), float8, boolean, bytea.
 * Nothing here can fail for any operand: what would is NULL.
 */

import type { SqlParameters } from '../contract/sql-parameters.ts';
import { boundsOf, maxDouble, maxInt, minDouble, minInt } from '../language/bounds.ts';
import type { FilterType } from '../language/filter-type.ts';
import type { Value } from '../language/node.ts';
import type { ArithmeticOperator, CompareOperator } from '../language/syntax.ts';

/** Names for operands, which `use` may then mention more than once without making the statement grow exponentially. */
export type Share = (operands: readonly string[], use: (...names: string[]) => string) => string;

export function formOf(type: FilterType): 'text' | 'numeric' | 'float8' | 'boolean' | 'bytea' {
  switch (type.kind) {
    case 'string':
      return 'text';
    case 'double':
      return 'float8';
    case 'bool':
      return 'boolean';
    case 'bytes':
      return 'bytea';
    default:
      return 'numeric';
  }
}

/** From the text of a scalar of the document. */
export function fromText(type: FilterType, text: string): string {
  const form = formOf(type);
  if (form === 'text') return text;
  return form === 'bytea' ? `decode(${text}, 'base64')` : `(${text})::${form}`;
}

/** What an unset field is. */
export function defaultOf(type: FilterType): string {
  switch (formOf(type)) {
    case 'text':
      return `''`;
    case 'boolean':
      return 'false';
    case 'bytea':
      return `''::bytea`;
    default:
      return '0';
  }
}

/** A literal of the expression: always a parameter, but for true and false. */
export function literalSql(type: FilterType, value: Value, parameters: SqlParameters): string {
  if (typeof value === 'boolean') return String(value);
  if (value instanceof Uint8Array) return parameters.add(`\\x${Buffer.from(value).toString('hex')}`, 'bytea');
  return parameters.add(String(value), formOf(type));
}

/** SQL orders NaN above everything and makes it equal to itself; CEL does neither. */
export function doubleComparison(operator: CompareOperator, left: string, right: string, share: Share): string {
  return share([left, right], (l, r) => {
    const comparable = `${l} <> 'NaN' and ${r} <> 'NaN'`;
    return `case when ${comparable} then ${l} ${sqlOperator(operator)} ${r} when ${l} is not null and ${r} is not null then ${operator === '!='} end`;
  });
}

export function sqlOperator(operator: CompareOperator): string {
  if (operator === '==') return '=';
  return operator === '!=' ? '<>' : operator;
}

export function arithmeticSql(operator: ArithmeticOperator, kind: FilterType['kind'], left: string, right: string, share: Share): string {
  if (kind === 'double') return doubleArithmetic(operator, left, right, share);
  return within(kind, integerArithmetic(operator, left, right));
}

function integerArithmetic(operator: ArithmeticOperator, left: string, right: string): string {
  if (operator === '/') return `div(${left}, nullif(${right}, 0))`;
  return operator === '%' ? `mod(${left}, nullif(${right}, 0))` : `(${left} ${operator} ${right})`;
}

/** NULL for a result out of bounds: it is first brought to the next value outside, and that one made NULL. */
function within(kind: FilterType['kind'], result: string): string {
  const { least, most } = boundsOf(kind);
  const [below, above] = [least - 1n, most + 1n];
  return `nullif(nullif(greatest(${below}, least(${above}, ${result})), ${below}), ${above})`;
}

/** float8 fails on overflow, underflow and division by zero. */
function doubleArithmetic(operator: ArithmeticOperator, left: string, right: string, share: Share): string {
  return share([left, right], (l, r) => {
    const divisor = operator === '/' ? `nullif(${r}, 0)` : r;
    return `case when ${isModerate(l)} and ${isModerate(r)} then ${l} ${operator} ${divisor} end`;
  });
}

function isModerate(operand: string): string {
  return `(${operand} = 0 or abs(${operand}) between ${minDouble}::float8 and ${maxDouble}::float8)`;
}

export function conversionSql(from: FilterType['kind'], to: FilterType['kind'], of: string, share: Share): string {
  switch (to) {
    case 'string':
      return `(${of})::text`;
    case 'double':
      return from === 'string'
        ? share([of], (text) => `case when ${text} ~ '^[+-]?[0-9]{1,15}([.][0-9]{1,15})?$' then (${text})::float8 end`)
        : `(${of})::float8`;
    case 'uint':
      return within(to, from === 'string' ? numericText(of, '', share) : of);
    default:
      return toInt(from, of, share);
  }
}

function toInt(from: FilterType['kind'], of: string, share: Share): string {
  switch (from) {
    case 'string':
      return within('int', numericText(of, '[+-]?', share));
    case 'timestamp':
      return `floor(${of} / 1000000)`;
    case 'double':
      return share([of], (x) => `case when ${x} > ${minInt} and ${x} < ${maxInt} then trunc(${x})::bigint::numeric end`);
    default:
      return within('int', of);
  }
}

function numericText(of: string, sign: string, share: Share): string {
  return share([of], (text) => `case when ${text} ~ '^${sign}[0-9]{1,30}$' then (${text})::numeric end`);
}
