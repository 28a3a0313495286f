/** What a column holds. `double` is float8, `bigint` any 64-bit integer, `text[]` a repeated string, `jsonb` a field in its storage form. */
export type ColumnForm = 'text' | 'bigint' | 'double' | 'bool' | 'timestamptz' | 'text[]' | 'jsonb';

export interface FieldColumn {
  /** The column, qualified and quoted as the statement needs it. */
  readonly sql: string;
  readonly form: ColumnForm;
  /** NULL stands for an unset field. Any other column holds the default instead, so that `column = $1` finds it. */
  readonly isNullable?: boolean | undefined;
}

/** Where the fields of the message are in SQL: a column of their own, or the document. Paths are the names of the contract. */
export interface ColumnsOf {
  /** Undefined: the field is in the document. `*` stands for every item of a list: such a column holds that field of all of them, but for empty texts. */
  column(path: readonly string[]): FieldColumn | undefined;
  /** The jsonb document that `toStorageJson` made: `data`. */
  readonly json: string;
  /** Presence of a message that is not in the document as a whole, as a condition that is never NULL: `metadata` -> `true`. */
  present?(path: readonly string[]): string | undefined;
}
