import type { DescEnum, DescMessage, Message } from '@bufbuild/protobuf';
import type { ColumnsOf } from './columns-of.ts';
import type { SqlParameters } from './sql-parameters.ts';

/** A variable of the expression, of the type of a message. */
export interface FilterRoot {
  readonly variable: string;
  readonly message: DescMessage;
  /**
   * Fields that do not exist for the caller, by the path of names of the contract from the root (keys and indexes are left out). Nothing tells them
   * from misspelt ones. Secrets that are not in the stored form belong here, too.
   */
  readonly hidden?: ((path: readonly string[]) => boolean) | undefined;
}

export interface FilterOptions {
  readonly roots: readonly FilterRoot[];
  /** Their values are bare identifiers, beside those of every enum that a visible field has. */
  readonly enums?: readonly DescEnum[] | undefined;
  /** The field of the request that errors name; `filter` unless told. */
  readonly field?: string | undefined;
}

/**
 * An expression that was checked once. Both ways of asking it give the same answer for the same object. What cannot be evaluated (a missing key, a
 * division by zero, an overflow) is unknown, absorbed by `&&` and `||` where the other side decides, and an unknown result does not match.
 */
export interface Filter {
  /** By the names of the roots. Each must be of the type of its root. */
  matches(values: Readonly<Record<string, Message>>, now: Date): boolean;

  /**
   * A condition in parentheses; NULL where it is unknown. Never fails on any row that was written by `toStorageJson`, and holds no text of the caller:
   * literals are parameters. Needs exactly one root. Without `now` it is the start of the transaction.
   */
  toSql(columns: ColumnsOf, parameters: SqlParameters, now?: Date): string;
}
