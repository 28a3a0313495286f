import type { ColumnsOf, FieldColumn } from '../filter/contract/columns-of.ts';
import type { ObjectType } from './object-type.ts';
import type { StoredObject } from './stored-object.ts';

const metadataColumns: ReadonlyMap<string, FieldColumn> = new Map<string, FieldColumn>([
  ['id', { sql: 'id', form: 'text' }],
  ['metadata.name', { sql: 'name', form: 'text' }],
  ['metadata.creation_timestamp', { sql: 'created_at', form: 'timestamptz' }],
  ['metadata.deletion_timestamp', { sql: 'deleted_at', form: 'timestamptz', isNullable: true }],
  ['metadata.finalizers', { sql: 'finalizers', form: 'text[]' }],
  ['metadata.creators', { sql: 'creators', form: 'text[]' }],
  ['metadata.tenants', { sql: 'tenants', form: 'text[]' }],
  ['metadata.labels', { sql: 'labels', form: 'jsonb' }],
  ['metadata.annotations', { sql: 'annotations', form: 'jsonb' }],
  ['metadata.version', { sql: 'version', form: 'bigint' }],
]);

/** Where filters and orders find the fields of a type. `instead` replaces columns, for callers that see less of them. */
export function objectColumns<M extends StoredObject>(
  type: Pick<ObjectType<M>, 'columns'>,
  instead: ReadonlyMap<string, FieldColumn> = new Map(),
): ColumnsOf {
  const columns = new Map<string, FieldColumn>(metadataColumns); // path -> column
  for (const [name, column] of Object.entries(type.columns))
    if (column.path !== undefined && column.form !== 'boolean') columns.set(column.path, { sql: name, form: column.form });
  for (const [path, column] of instead) columns.set(path, column);
  return {
    json: 'data',
    column: (path) => columns.get(path.join('.')),
    present: (path) => (path.length === 1 && path[0] === 'metadata' ? 'true' : undefined),
  };
}
