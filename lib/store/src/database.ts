/** A statement with `$1`, `$2` … for values. With a name it is prepared once per connection: give one to every text that repeats. */
export interface Statement {
  readonly name?: string | undefined;
  readonly text: string;
}

/**
 * Runs statements. `bigint` columns arrive as bigint, `timestamptz` as a Timestamp, `bytea` as a Uint8Array, jsonb parsed. Every failure is a
 * StatusError that shows neither the statement nor a value; what PostgreSQL said of it for programs is in `databaseFailure(error)`.
 */
export interface Queryable {
  query<R extends object>(statement: Statement, values?: readonly unknown[]): Promise<readonly R[]>;
}

/**
 * Statements of one transaction. Those that do not need each other's answers may be sent together, with Promise.all: they run in the order in which they were
 * asked for, and each sees what was committed before it began.
 */
export interface Transaction extends Queryable {
  /** Runs the last statement of the transaction and commits it, in one exchange with the server. No other may follow, and what fails afterwards undoes nothing. */
  queryLast<R extends object>(statement: Statement, values?: readonly unknown[]): Promise<readonly R[]>;
}

export interface TransactionOptions {
  /** One snapshot for all of its statements, and no writing. */
  readonly isReadOnly?: boolean | undefined;
  /**
   * Statements with a name are planned once per connection and not for their values: for work that looks up single rows by index, of which planning costs more than the
   * rest.
   */
  readonly keepsPlans?: boolean | undefined;
}

export interface PoolFigures {
  readonly open: number;
  readonly idle: number;
  /** Callers that wait for a connection. */
  readonly waiting: number;
  /** Connections that broke since the start. When the server crashed it is more than before, for whoever used one not long ago. */
  readonly lost: number;
}

/** PostgreSQL as the house uses it. Connections come and go by themselves. */
export interface Database extends Queryable {
  /**
   * Begins, takes the locks (sorted, deduplicated) before any statement, runs the work, commits. The locks are held when the first statement of the work has its
   * answer, not when the work starts. The work runs again, a few times, when PostgreSQL broke off the transaction for the sake of another: it must have no effect
   * but through `tx`. A lock is a text such as `hosts/4711`; it is held to the end of the transaction, and everybody who writes that object takes it. A lock such as
   * `hosts` holds off everybody who writes any of them. Who waits for a lock that this process holds has no connection meanwhile, and some are left for reads always.
   */
  transaction<T>(locks: readonly string[], work: (tx: Transaction) => Promise<T>, options?: TransactionOptions): Promise<T>;

  /**
   * Calls back with the payload of every notification on the channel, and without one each time that the connection was made, since some may have been missed
   * before. The returned function ends it.
   */
  listen(channel: string, onWake: (payload: string | undefined) => void): () => void;

  /** Whether the last contact succeeded. While it did not, the database is tried again every second. */
  isReachable(): boolean;

  figures(): PoolFigures;

  /** Waits for what is running. */
  close(): Promise<void>;
}
