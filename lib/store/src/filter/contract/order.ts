import type { DescMessage, Message } from '@bufbuild/protobuf';
import type { ColumnsOf } from './columns-of.ts';
import type { SqlParameters } from './sql-parameters.ts';

export interface OrderOptions {
  readonly message: DescMessage;
  /** As that of a FilterRoot. */
  readonly hidden?: ((path: readonly string[]) => boolean) | undefined;
  /** The field of the request that errors name; `order` unless told. */
  readonly field?: string | undefined;
}

/** A total order of objects: the terms of the caller, ended by the id. */
export interface Order {
  /** The same for all texts that mean the same: a cursor keeps it, so that it is not continued in another order. */
  readonly text: string;

  /** What follows `order by`. */
  toSql(columns: ColumnsOf): string;

  /** The place of an object in the order, as JSON strings for a cursor. */
  keyOf(object: Message): readonly string[];

  /** A condition in parentheses for the objects behind that place. Throws `invalid_argument` for a key that `keyOf` did not make. */
  after(key: readonly string[], columns: ColumnsOf, parameters: SqlParameters): string;
}
