import type { Queryable } from '../database.ts';
import { plannedOnce } from '../filter/contract/sql-parameters.ts';
import { Gathering } from './gathering.ts';
import type { ObjectTable, SecretRow } from './object-table.ts';
import { type ShownRow, shownColumns, showRow } from './shown-row.ts';
import type { StoredObject } from './stored-object.ts';

interface Row extends ShownRow {
  readonly id: string;
}

/** The number of ids, which is another one each time, changes nothing in how they are best found. */
const isAsked = `id = any(${plannedOnce('$1', 'text[]')})`;

type RevealedRow = Row & (SecretRow | { readonly path: null });

/** Reads single objects, for callers that come at the same time with one statement. Everybody gets a message of its own. */
export class GatheredReads<M extends StoredObject> {
  readonly #store: ObjectTable<M>;
  readonly #bodies: Gathering<Row>;
  readonly #revealed: Gathering<RevealedRow>;

  constructor(database: Queryable, store: ObjectTable<M>) {
    const { name: kind } = store.type;
    this.#store = store;
    this.#bodies = new Gathering(database, {
      name: `gather-${kind}`,
      text: `select id, ${shownColumns(store.type)} from ${kind} where ${isAsked}`,
    });
    this.#revealed = new Gathering(database, {
      name: `gather-revealed-${kind}`,
      text: `select id, ${shownColumns(store.type)}, path, key_id, sealed from ${kind} left join secrets on kind = '${kind}' and object_id = id where ${isAsked}`,
    });
  }

  async get(id: string): Promise<M | undefined> {
    const [row] = await this.#bodies.rowsOf(id);
    return row === undefined ? undefined : showRow(this.#store, row);
  }

  /** The object with its secrets. To be shown to nobody who may not read them, and to be stored nowhere. */
  async getRevealed(id: string): Promise<M | undefined> {
    if (this.#store.type.secretPaths.length === 0) return await this.get(id);
    const rows = await this.#revealed.rowsOf(id);
    const [first] = rows;
    if (first === undefined) return undefined;
    return this.#store.reveal(
      showRow(this.#store, first),
      rows.filter((row) => row.path !== null),
    );
  }
}
