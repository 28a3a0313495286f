import { fieldValue, fieldValues } from './field-values.ts';
import type { ObjectColumn, ObjectType } from './object-type.ts';
import type { StoredObject } from './stored-object.ts';
import type { BatchRow, BatchValue } from './write-batch.ts';

/** Makes the values of the columns that a kind declares, as a row of a batch holds them. */
export function columnValues<M extends StoredObject>({
  schema,
  columns,
}: Pick<ObjectType<M>, 'schema' | 'columns'>): (object: M) => BatchRow {
  const readers = Object.entries(columns).map(([name, column]) => ({ name, read: readerOf(schema, column) }));
  return (object) => {
    const row: Record<string, BatchValue> = {};
    for (const { name, read } of readers) row[name] = read(object);
    return row;
  };
}

function readerOf<M extends StoredObject>(schema: ObjectType<M>['schema'], column: ObjectColumn<M>): (object: M) => BatchValue {
  if ('of' in column) return (object) => column.of(object);
  if (column.form === 'text[]') {
    const read = fieldValues(schema, column.path);
    return (object) => [...new Set(read(object).map(textOf))].filter((text) => text !== '').toSorted();
  }
  const read = fieldValue(schema, column.path);
  return column.form === 'text' ? (object) => textOf(read(object)) : (object) => String(read(object) ?? 0);
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
