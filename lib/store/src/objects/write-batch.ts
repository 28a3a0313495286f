import { StatusError } from '@quartermaster/kernel';
import type { Queryable } from '../database.ts';

/** A value as a row of a batch holds it. Bytes are written as `\x…`, 64-bit integers as text: PostgreSQL reads both. */
export type BatchValue = string | number | boolean | null | readonly string[] | Readonly<Record<string, string>> | RawJson;

export type BatchRow = Readonly<Record<string, BatchValue>>;

/** A value that is JSON text already. */
export class RawJson {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** One kind of write: a statement that takes all of its rows at once. */
export interface BatchPart {
  /** With it the statement is prepared: the same name always means the same text. */
  readonly name: string;
  /** The statement, without `returning`; `rows` stands for the rows as a value of type json, to be read with json_to_recordset. */
  readonly sql: (rows: string) => string;
  /** Whether a row that has no effect means that somebody else wrote meanwhile. */
  readonly isExact?: boolean;
}

/**
 * Writes of one transaction, sent together as one statement: objects, their changes for the feed, secrets and whatever a caller adds. Within a batch no row of a
 * table may be written twice, since the parts of one statement do not see each other's effects.
 */
export class WriteBatch {
  readonly #parts = new Map<string, { readonly part: BatchPart; readonly rows: BatchRow[] }>(); // name -> rows

  get isEmpty(): boolean {
    return this.#parts.size === 0;
  }

  add(part: BatchPart, row: BatchRow): void {
    const known = this.#parts.get(part.name);
    if (known === undefined) this.#parts.set(part.name, { part, rows: [row] });
    else known.rows.push(row);
  }

  /** Sends everything. Throws `aborted` when a row was not as the caller had read it; the transaction must then be given up. */
  async flush(tx: Queryable): Promise<void> {
    if (this.isEmpty) return;
    // In an order of its own, so that the same set of parts is always the same prepared statement.
    const parts = [...this.#parts.values()].toSorted((a, b) => (a.part.name < b.part.name ? -1 : 1));
    this.#parts.clear();
    const bodies = parts.map(({ part }, index) => `p${index} as (${part.sql(`$${index + 1}::json`)} returning 1)`);
    const counts = parts.map((_, index) => `(select count(*) from p${index}) as c${index}`);
    const statement = {
      name: `batch:${parts.map(({ part }) => part.name).join('+')}`,
      text: `with ${bodies.join(',\n')} select ${counts.join(', ')}`,
    };
    const [effects = {}] = await tx.query<Record<string, bigint>>(
      statement,
      parts.map(({ rows }) => `[${rows.map(jsonOf).join(',')}]`),
    );
    for (const [index, { part, rows }] of parts.entries()) {
      if (part.isExact === true && Number(effects[`c${index}`]) !== rows.length) {
        throw new StatusError('aborted', 'an object was changed by somebody else meanwhile: read it again and retry');
      }
    }
  }
}

export function hexOf(bytes: Uint8Array): string {
  return `\\x${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex')}`;
}

function jsonOf(row: BatchRow): string {
  const members = Object.entries(row).map(
    ([name, value]) => `${JSON.stringify(name)}:${value instanceof RawJson ? value.text : JSON.stringify(value)}`,
  );
  return `{${members.join(',')}}`;
}
