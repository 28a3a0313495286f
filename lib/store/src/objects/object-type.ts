import type { GenMessage } from '@bufbuild/protobuf/codegenv2';
import type { Timestamp } from '../timestamp.ts';
import type { StoredMetadata, StoredObject } from './stored-object.ts';

/** A column that the store writes beside `data`, so that it can be indexed. Never NULL: an unset field is its default. */
export type ObjectColumn<M extends StoredObject> = PlacedColumn | ComputedColumn<M>;

/** Holds one field, or one field of every value of a map: sorted, each once, and none that is empty. Filters and orders that name the field ask the column. */
export interface PlacedColumn {
  /** By the names of the contract, `*` for the values of a map: `spec.node_sets.*.host_class`. */
  readonly path: string;
  readonly form: 'text' | 'bigint' | 'text[]';
}

/** Holds what follows from the object otherwise. */
export interface ComputedColumn<M extends StoredObject> {
  /** One field of every item of a list, `spec.nics.*.mac`, but for empty ones: filters that look for an item by it ask the column. */
  readonly path?: string | undefined;
  readonly form: 'boolean' | 'text' | 'text[]';
  of(object: M): boolean | string | readonly string[];
}

/**
 * A kind of object: one table with the columns id, name, version, created_at, deleted_at, finalizers, creators, tenants, labels, annotations,
 * data and body, and those that the kind declares; where it declares any, also `columns_version`, the version of the object that they were written for.
 * `data` is for filters, `body` (the whole message in protobuf) for reading; neither holds a secret.
 */
export interface ObjectType<M extends StoredObject = StoredObject> {
  /** The plural, which is the name of the table, too: `hosts`. */
  readonly name: string;
  /** For messages: `host`. */
  readonly singular: string;
  readonly schema: GenMessage<M>;
  readonly metadata: GenMessage<StoredMetadata & NonNullable<M['metadata']>>;
  /** By the names of the contract: `spec.bmc.password`. Singular fields of type string or bytes. */
  readonly secretPaths: readonly string[];
  /** Name of a column beyond those -> what it holds. */
  readonly columns: Readonly<Record<string, ObjectColumn<M>>>;
  readonly beside?: BesideObject<M> | undefined;
}

/** What is kept outside of the objects and handed out with them, such as what changes too often to be written into them. */
export interface BesideObject<M extends StoredObject> {
  /** An expression over a row of the table. Of type timestamptz. */
  readonly sql: string;
  /** Puts it into the message, in place. */
  fill(object: M, value: Timestamp): void;
}

/** The column that holds the field at a path, with its form; undefined when none does. */
export function columnAt(
  { columns }: Pick<ObjectType, 'columns'>,
  path: string,
): { readonly name: string; readonly form: PlacedColumn['form'] } | undefined {
  for (const [name, column] of Object.entries(columns)) if (!('of' in column) && column.path === path) return { name, form: column.form };
  return undefined;
}

/** What a transaction that writes the object has to lock. */
export function lockOf(kind: string, id: string): string {
  return `${kind}/${id}`;
}
