import { StatusError } from '@quartermaster/kernel';
import type { ColumnsOf } from '../contract/columns-of.ts';
import { SqlParameters } from '../contract/sql-parameters.ts';
import { maxInt, maxTimestamp, minInt, minTimestamp } from '../language/bounds.ts';
import type { FilterType } from '../language/filter-type.ts';
import { formatTimestamp } from '../language/literals.ts';
import type { NodeOf, Value } from '../language/node.ts';
import { unstorable } from '../language/text.ts';
import { pathFromRoot } from './sql-location.ts';
import { formOf } from './sql-scalars.ts';
import { SqlWriter } from './sql-writer.ts';

/** A field as it stands in `order by`: never NULL. */
export interface OrderColumn {
  readonly sql: string;
  /** Of the parameter that it is compared with. */
  readonly cast: string;
  readonly type: FilterType;
}

export function orderColumn(node: NodeOf<'field'>, columns: ColumnsOf): OrderColumn {
  const { type } = node;
  const column = columns.column(pathFromRoot(node) ?? []);
  if (column === undefined || column.isNullable === true) {
    // A field has no literals, so that it needs no parameters.
    const sql = new SqlWriter(columns, new SqlParameters(), undefined).field(node);
    return type.kind === 'string' ? { sql: `${sql} collate "C"`, cast: 'text', type } : { sql, cast: formOf(type), type };
  }
  switch (column.form) {
    case 'text':
      return { sql: `${column.sql} collate "C"`, cast: 'text', type };
    case 'double':
      return { sql: column.sql, cast: 'float8', type };
    case 'bool':
      return { sql: column.sql, cast: 'boolean', type };
    default:
      return { sql: column.sql, cast: column.form, type };
  }
}

/** As text that `fromKey` reads back, whatever the value. */
export function toKey(value: Value): string {
  return value instanceof Uint8Array ? Buffer.from(value).toString('hex') : String(value);
}

/** The value of a parameter. The key comes from outside: anything else than `toKey` makes is refused. */
export function fromKey({ type, cast }: OrderColumn, key: string): string {
  if (!forms[formOf(type)].test(key) || unstorable(key) !== undefined || !fits(key, cast)) throw foreignCursor();
  if (type.kind === 'bytes') return `\\x${key}`;
  if (cast !== 'timestamptz') return key;
  const micros = BigInt(key);
  return formatTimestamp(micros < minTimestamp ? minTimestamp : micros > maxTimestamp ? maxTimestamp : micros);
}

/** PostgreSQL would refuse the others. */
function fits(key: string, cast: string): boolean {
  if (cast === 'bigint') return BigInt(key) >= minInt && BigInt(key) <= maxInt;
  return cast !== 'float8' || Number.isFinite(Number(key)) || !/[0-9]/.test(key);
}

export function foreignCursor(): StatusError {
  return new StatusError('invalid_argument', 'the cursor was not made for this order: begin again without it');
}

const forms: Readonly<Record<ReturnType<typeof formOf>, RegExp>> = {
  text: /^/,
  numeric: /^-?[0-9]{1,20}$/,
  float8: /^(NaN|-?Infinity|-?[0-9]{1,25}(\.[0-9]{1,25})?(e[+-][0-9]{1,3})?)$/,
  boolean: /^(true|false)$/,
  bytea: /^([0-9a-f]{2})*$/,
};
