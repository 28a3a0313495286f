import { fieldValues } from './field-values.ts';
import type { ObjectColumn, ObjectType } from './object-type.ts';
import type { StoredObject } from './stored-object.ts';
import type { BatchRow, BatchValue } from './write-batch.ts';

/** Makes the values of the columns that a kind declares, as a row of a batch holds them. */
export function columnValues<M extends StoredObject>({
  schema,
  columns,
}: Pick<ObjectType<M>, 'schema' | 'columns'>): (object: M) => BatchRow {
  const readers = Object.entries(columns).map(([name, column]) => [name, readerOf(schema, column)] as const);
  return (object) => Object.fromEntries(readers.map(([name, read]) => [name, read(object)]));
}

function readerOf<M extends StoredObject>(schema: ObjectType<M>['schema'], column: ObjectColumn<M>): (object: M) => BatchValue {
  if ('of' in column) return (object) => column.of(object);
  const read = fieldValues(schema, column.path);
  switch (column.form) {
    case 'text':
      return (object) => textOf(read(object)[0]);
    case 'bigint':
      return (object) => String(read(object)[0] ?? 0);
    case 'text[]':
      return (object) => [...new Set(read(object).map(textOf))].filter((text) => text !== '').toSorted();
  }
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
