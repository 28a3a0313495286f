import type { GenMessage } from '@bufbuild/protobuf/codegenv2';
import type { ColumnForm } from '../filter/columns-of.ts';
import type { StoredMetadata, StoredObject } from './stored-object.ts';

/** A column that the table computes from `data`, so that it can be indexed. Never NULL: an unset field is its default. */
export interface PromotedColumn {
  readonly column: string;
  readonly form: ColumnForm;
}

/**
 * A kind of object: one table with the columns id, name, version, created_at, deleted_at, finalizers, creators, tenants, labels, annotations,
 * data and body, and the promoted ones. `data` is for filters, `body` (the whole message in protobuf) for reading; neither holds a secret.
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
  /** Path by the names of the contract -> its column. */
  readonly promoted: Readonly<Record<string, PromotedColumn>>;
}

/** What a transaction that writes the object has to lock. */
export function lockOf(kind: string, id: string): string {
  return `${kind}/${id}`;
}
