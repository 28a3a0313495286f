import { defineSteps, StatusError } from '@quartermaster/kernel';
import type pg from 'pg';
import type { Statement, Transaction } from './database.ts';
import { isConnectionLost, outcomeUnknown } from './database-failure.ts';

/** How statements get to the server. */
export interface Exchange {
  /** Sends it at once, behind what was sent before, without waiting for the answers to that. `label` is for those who observe. */
  send<R extends object>(client: pg.PoolClient, label: string, query: pg.QueryConfig): Promise<readonly R[]>;
  /** What callers are told of it. */
  failure(thrown: unknown): StatusError;
}

const steps = defineSteps('transaction', ['uncommitted', 'committed']);

/**
 * A transaction on one connection. What does not depend on an answer is sent without waiting for it: BEGIN and the locks together with the first statement of the
 * work, and COMMIT together with the last one. The server takes them one after the other, so a statement still sees what was committed before its locks were got;
 * and when one fails it refuses all that follow, and a COMMIT rolls back.
 */
export class PgTransaction implements Transaction {
  readonly #client: pg.PoolClient;
  readonly #exchange: Exchange;
  readonly #begun: Promise<unknown>;
  #hasBegun = false;
  #isOver = false;
  #isCommitted = false;
  #isLost = false;
  #failure: StatusError | undefined;

  constructor(client: pg.PoolClient, begin: string, exchange: Exchange) {
    this.#client = client;
    this.#exchange = exchange;
    sendTogether(client);
    this.#begun = exchange.send(client, 'begin', { text: begin }).then(() => {
      this.#hasBegun = true;
    });
    this.#begun.catch(() => undefined);
  }

  /** The connection cannot be used any more. */
  get isLost(): boolean {
    return this.#isLost;
  }

  /** Nothing was done, and nothing can have been: the connection broke before the server answered at all. */
  get isUnbegun(): boolean {
    return this.#isLost && !this.#hasBegun;
  }

  async query<R extends object>(statement: Statement, values: readonly unknown[] = []): Promise<readonly R[]> {
    this.#checkOpen();
    const rows = this.#send<R>(statement, values);
    rows.catch(() => undefined);
    try {
      await this.#begun;
      return await rows;
    } catch (thrown) {
      throw this.#failed(thrown);
    }
  }

  async queryLast<R extends object>(statement: Statement, values: readonly unknown[] = []): Promise<readonly R[]> {
    this.#checkOpen();
    this.#isOver = true;
    try {
      // Once COMMIT is sent nobody can tell a connection that broke before from one that broke after.
      await this.#begun;
    } catch (thrown) {
      throw this.#failed(thrown);
    }
    if (this.#failure !== undefined) throw this.#failure;
    await steps.reached('uncommitted');
    sendTogether(this.#client);
    const [rows, end] = await Promise.allSettled([this.#send<R>(statement, values), this.#sendCommit()]);
    if (rows.status === 'rejected') throw this.#uncommitted(rows.reason);
    if (end.status === 'rejected') throw this.#uncommitted(end.reason);
    this.#isCommitted = true;
    await steps.reached('committed');
    return rows.value;
  }

  async commit(): Promise<void> {
    if (this.#isCommitted) return;
    this.#isOver = true;
    try {
      await this.#begun;
    } catch (thrown) {
      throw this.#failed(thrown);
    }
    // PostgreSQL would answer COMMIT with a rollback that looks like success.
    if (this.#failure !== undefined) throw this.#failure;
    await steps.reached('uncommitted');
    await this.#sendCommit().catch((thrown: unknown) => {
      throw this.#uncommitted(thrown);
    });
    this.#isCommitted = true;
    await steps.reached('committed');
  }

  /** Never throws. */
  async rollback(): Promise<void> {
    this.#isOver = true;
    if (this.#isLost || this.#isCommitted) return;
    await this.#client.query('rollback').catch(() => {
      this.#isLost = true;
    });
  }

  #checkOpen(): void {
    if (this.#isOver) throw new StatusError('internal', 'the transaction has ended: await every statement inside its callback');
  }

  #send<R extends object>(statement: Statement, values: readonly unknown[]): Promise<readonly R[]> {
    return this.#exchange.send<R>(this.#client, statement.name ?? 'unnamed', { ...statement, values: values as unknown[] });
  }

  #sendCommit(): Promise<unknown> {
    return this.#exchange.send(this.#client, 'commit', { text: 'commit' });
  }

  /** The first failure is the one that counts: what was sent behind it fails because of it. */
  #failed(thrown: unknown): StatusError {
    this.#isLost ||= isConnectionLost(thrown);
    this.#failure ??= this.#exchange.failure(thrown);
    return this.#failure;
  }

  #uncommitted(thrown: unknown): StatusError {
    const failure = this.#failed(thrown);
    return this.#isLost ? outcomeUnknown() : failure;
  }
}

/** Has what is sent until the current work of the event loop is done leave as one packet, which wakes the server once. */
function sendTogether({ connection: { stream } }: pg.PoolClient): void {
  stream.cork();
  process.nextTick(() => stream.uncork());
}
