import { createHash } from 'node:crypto';
import { StatusError } from '@quartermaster/kernel';
import type { Queryable, Statement, Transaction } from '../database.ts';
import { databaseFailure } from '../database-failure.ts';

const divisionByZero = '22012';

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
  readonly isExact?: boolean | undefined;
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
    await this.#send((statement, values) => tx.query(statement, values));
  }

  /** The same as the end of the transaction, which is committed with it. */
  async flushLast(tx: Transaction): Promise<void> {
    await this.#send((statement, values) => tx.queryLast(statement, values));
  }

  async #send(query: (statement: Statement, values: readonly unknown[]) => Promise<unknown>): Promise<void> {
    if (this.isEmpty) return;
    // In an order of its own, so that the same set of parts is always the same prepared statement.
    const parts = [...this.#parts.values()].toSorted((a, b) => (a.part.name < b.part.name ? -1 : 1));
    this.#parts.clear();
    const exact = parts.filter(({ part }) => part.isExact === true);
    const values = [...parts.map(({ rows }) => `[${rows.map(jsonOf).join(',')}]`), ...exact.map(({ rows }) => rows.length)];
    const statement = statementOf(parts.map(({ part }) => part));
    try {
      await query(statement, values);
    } catch (thrown) {
      if (databaseFailure(thrown)?.sqlState !== divisionByZero) throw thrown;
      throw new StatusError('aborted', 'the object was modified concurrently: read it again and retry');
    }
  }
}

const statements = new Map<string, Statement>(); // names of the parts -> their statement; as many as there are kinds of writes

function statementOf(parts: readonly BatchPart[]): Statement {
  const names = parts.map(({ name, isExact }) => (isExact === true ? `${name}!` : name)).join('+');
  const known = statements.get(names);
  if (known !== undefined) return known;
  const bodies = parts.map(({ sql }, index) => `p${index} as (${sql(`$${index + 1}::json`)} returning 1)`);
  const exact = parts.flatMap(({ isExact }, index) => (isExact === true ? [index] : []));
  // Dividing by zero breaks the statement off, and with it a COMMIT that follows at once.
  const checks = exact.map((part, index) => `1 / ((select count(*) from p${part}) = $${parts.length + index + 1}::int)::int`);
  const name = nameOf(parts.map((part) => part.name));
  const statement = { name, text: `with ${bodies.join(',\n')} select ${checks.join(', ')}` };
  statements.set(names, statement);
  return statement;
}

/** PostgreSQL cuts off what is longer, and then takes two statements for one. */
const maxNameLength = 63;

function nameOf(parts: readonly string[]): string {
  const name = `batch:${parts.join('+')}`;
  if (name.length <= maxNameLength) return name;
  const hash = createHash('sha256').update(name).digest('hex').slice(0, 16);
  return `${name.slice(0, maxNameLength - hash.length - 1)}~${hash}`;
}

export function hexOf(bytes: Uint8Array): string {
  return `\\x${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex')}`;
}

function jsonOf(row: BatchRow): string {
  let members = '';
  for (const name in row) {
    const value = row[name];
    // Names of columns need no escaping.
    members += `${members === '' ? '' : ','}"${name}":${value instanceof RawJson ? value.text : JSON.stringify(value)}`;
  }
  return `{${members}}`;
}
