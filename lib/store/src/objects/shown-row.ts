import type { Timestamp } from '../timestamp.ts';
import type { ObjectTable } from './object-table.ts';
import type { ObjectType } from './object-type.ts';
import type { StoredObject } from './stored-object.ts';

/** What `shownColumns` gives. */
export interface ShownRow {
  readonly body: Uint8Array;
  readonly beside?: Timestamp | null | undefined;
}

/** What to select of a row that is to be handed out. */
export function shownColumns({ beside }: Pick<ObjectType, 'beside'>): string {
  return beside === undefined ? 'body' : `body, ${beside.sql} as beside`;
}

/** The message of such a row, with what is kept beside it. */
export function showRow<M extends StoredObject>(store: ObjectTable<M>, { body, beside }: ShownRow): M {
  const object = store.decode(body);
  if (beside !== undefined && beside !== null) store.type.beside?.fill(object, beside);
  return object;
}
