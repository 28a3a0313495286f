import { type Clock, type Log, limit, type Random, StatusError, sleep, systemClock, systemRandom } from '@quartermaster/kernel';
import pg from 'pg';
import { type ConnectionOptions, checkUrl, connectionConfig, connectTimeoutMs } from './connection.ts';
import type { Database, PoolFigures, Statement, Transaction, TransactionOptions } from './database.ts';
import { isConnectionLost, isRetryable, toStatusError } from './database-failure.ts';
import { Listener } from './listener.ts';
import { kindKeys, lockKeys } from './lock-key.ts';
import { LockLine } from './lock-line.ts';
import { type Exchange, PgTransaction } from './pg-transaction.ts';

/** What an operator may want to see. Called for every statement: be quick. */
export interface DatabaseObserver {
  /** `name` is the statement's, or `unnamed`. */
  query?(name: string, durationMs: number, outcome: 'ok' | 'failed'): void;
  reachable?(isReachable: boolean): void;
}

export interface OpenDatabaseOptions extends ConnectionOptions {
  /** Connections at most; 10 without it. Listeners have one each beside them. */
  readonly poolSize?: number | undefined;
  /** 30 s without it. */
  readonly statementTimeoutMs?: number | undefined;
  readonly log: Log;
  readonly clock?: Clock | undefined;
  readonly random?: Random | undefined;
  readonly observer?: DatabaseObserver | undefined;
}

const defaultStatementTimeoutMs = 30_000;
const idleInTransactionMs = 10_000;
const attempts = 5;
const probeIntervalMs = 1_000;
/** PostgreSQL's table of locks is shared by all; a default one has room for about 6 400. */
const maxLocks = 1_000;

/** Does not connect yet: a database that is away is met by the first statement, which fails with `unavailable`. */
export function openDatabase(options: OpenDatabaseOptions): Database {
  checkUrl(options.url);
  return new PgDatabase(options);
}

class PgDatabase implements Database {
  readonly #pool: pg.Pool;
  readonly #config: pg.ClientConfig;
  readonly #listeners = new Set<Listener>();
  readonly #line: LockLine;
  readonly #asWriter: ReturnType<typeof limit>;
  readonly #log: Log;
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #observer: DatabaseObserver;
  readonly #exchange: Exchange = {
    send: (client, label, query) => this.#send(client, label, query),
    failure: (thrown) => this.#failed(thrown),
  };
  #lost = 0;
  #isReachable = true;
  #isClosed = false;
  #cancelProbe: (() => void) | undefined;

  constructor(options: OpenDatabaseOptions) {
    this.#log = options.log;
    this.#clock = options.clock ?? systemClock;
    this.#random = options.random ?? systemRandom;
    this.#observer = options.observer ?? {};
    const statementTimeoutMs = options.statementTimeoutMs ?? defaultStatementTimeoutMs;
    this.#config = connectionConfig(options, { statementTimeoutMs, idleInTransactionMs });
    const { poolSize = 10 } = options;
    this.#pool = new pg.Pool({ ...this.#config, pipeline: true, max: poolSize, idleTimeoutMillis: 60_000 });
    const patience = { clock: this.#clock, waitMs: connectTimeoutMs };
    this.#line = new LockLine({ ...patience, message: 'other writes of the same objects are waiting for the database; try again' });
    this.#asWriter = limit(maxWriters(poolSize), { ...patience, message: 'too many writes are waiting for the database; try again' });
    // Without a handler an idle connection that breaks would end the process. The pool has dropped it already.
    this.#pool.on('error', () => (this.#lost += 1));
    // The same for one in use, from the moment at which it is: the statement that is running tells its caller, and what the server says before the first has no other taker.
    this.#pool.on('connect', (client) => void client.on('error', () => {}));
  }

  async query<R extends object>(statement: Statement, values: readonly unknown[] = []): Promise<readonly R[]> {
    const client = await this.#connect();
    let lost: boolean | undefined;
    try {
      return await this.#send<R>(client, statement.name ?? 'unnamed', { ...statement, values: values as unknown[] });
    } catch (thrown) {
      lost = isConnectionLost(thrown);
      throw this.#failed(thrown);
    } finally {
      client.release(lost);
    }
  }

  async transaction<T>(locks: readonly string[], work: (tx: Transaction) => Promise<T>, options: TransactionOptions = {}): Promise<T> {
    const begin = beginText(locks, options);
    if (options.isReadOnly === true) return await this.#attempts(begin, work);
    return await this.#line.run(locks, () => this.#asWriter(() => this.#attempts(begin, work)));
  }

  async #attempts<T>(begin: string, work: (tx: Transaction) => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.#attempt(begin, work);
      } catch (thrown) {
        if (attempt >= attempts || !(isRetryable(thrown) || (thrown instanceof NeverBegan && attempt === 1))) {
          throw thrown instanceof NeverBegan ? thrown.error : thrown;
        }
        await sleep(this.#clock, this.#random.next() * 5 * 2 ** attempt);
      }
    }
  }

  listen(channel: string, onWake: (payload: string | undefined) => void): () => void {
    const listener = new Listener({
      config: this.#config,
      channel,
      onWake,
      clock: this.#clock,
      random: this.#random,
      log: this.#log,
    });
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
      void listener.close();
    };
  }

  isReachable(): boolean {
    return this.#isReachable;
  }

  figures(): PoolFigures {
    return { open: this.#pool.totalCount, idle: this.#pool.idleCount, waiting: this.#pool.waitingCount, lost: this.#lost };
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#cancelProbe?.();
    await Promise.all([...this.#listeners].map((listener) => listener.close()));
    await this.#pool.end();
  }

  async #attempt<T>(begin: string, work: (tx: Transaction) => Promise<T>): Promise<T> {
    const client = await this.#connect();
    const tx = new PgTransaction(client, begin, this.#exchange);
    try {
      const result = await work(tx);
      await tx.commit();
      return result;
    } catch (thrown) {
      await tx.rollback();
      throw tx.isUnbegun ? new NeverBegan(toStatusError(thrown)) : thrown;
    } finally {
      client.release(tx.isLost);
    }
  }

  async #send<R extends object>(client: pg.PoolClient, label: string, query: pg.QueryConfig): Promise<readonly R[]> {
    const startedAt = this.#clock.monotonic();
    let outcome: 'ok' | 'failed' = 'failed';
    try {
      const { rows } = await client.query<R>(query);
      outcome = 'ok';
      this.#reached(true);
      return rows;
    } finally {
      this.#observer.query?.(label, this.#clock.monotonic() - startedAt, outcome);
    }
  }

  async #connect(): Promise<pg.PoolClient> {
    if (this.#isClosed) throw new StatusError('unavailable', 'the database is closed: the service is stopping');
    try {
      return await this.#pool.connect();
    } catch (thrown) {
      const isCrowded = this.#pool.totalCount >= this.#pool.options.max && this.#pool.idleCount === 0;
      if (isCrowded)
        throw new StatusError('unavailable', `all ${this.#pool.options.max} connections to the database are in use; try again`);
      throw this.#failed(thrown, { isConnecting: true });
    }
  }

  #failed(thrown: unknown, { isConnecting = false } = {}): StatusError {
    const isLost = isConnectionLost(thrown);
    if (isLost) this.#lost += 1;
    if (isConnecting || isLost) this.#reached(false);
    return toStatusError(thrown);
  }

  #reached(isReachable: boolean): void {
    if (this.#isReachable === isReachable || this.#isClosed) return;
    this.#isReachable = isReachable;
    this.#observer.reachable?.(isReachable);
    if (isReachable) {
      this.#cancelProbe?.();
      this.#log.info('database is reachable again');
    } else {
      this.#log.warn('database cannot be reached');
      this.#probeLater();
    }
  }

  #probeLater(): void {
    // One that is under way may end in this after another was begun.
    this.#cancelProbe?.();
    this.#cancelProbe = this.#clock.schedule(probeIntervalMs, () => {
      void this.query({ text: 'select' }).catch(() => {
        if (!this.#isClosed && !this.#isReachable) this.#probeLater();
      });
    });
  }
}

/** The connection failed before anything of the transaction was done: it was probably idle in the pool while the server restarted. */
class NeverBegan extends Error {
  readonly error: StatusError;

  constructor(error: StatusError) {
    super('the transaction did not begin');
    this.error = error;
  }
}

function beginText(locks: readonly string[], { isReadOnly = false, keepsPlans = false }: TransactionOptions): string {
  if (isReadOnly) return 'begin isolation level repeatable read read only';
  const [keys, kinds] = [lockKeys(locks), kindKeys(locks)];
  if (keys.length > maxLocks) {
    throw new StatusError('invalid_argument', `one transaction may write at most ${maxLocks} objects, not ${keys.length}; split it`);
  }
  const begin = keepsPlans ? 'begin; set local plan_cache_mode = force_generic_plan' : 'begin';
  if (keys.length === 0) return begin;
  // Objects first: whoever waits for one holds off nobody who wants all of its kind.
  const shared = kinds.map((key) => `pg_advisory_xact_lock_shared(${key})`);
  if (keys.length === 1) return `${begin}; select ${[`pg_advisory_xact_lock(${keys[0]})`, ...shared].join(', ')}`;
  const all = `${begin}; select pg_advisory_xact_lock(key) from unnest('{${keys.join(',')}}'::bigint[]) as key`;
  return shared.length === 0 ? all : `${all}; select ${shared.join(', ')}`;
}

/** Transactions may wait for locks that other processes hold: some connections are left for reads, whatever happens to writes. */
function maxWriters(poolSize: number): number {
  return Math.max(1, poolSize - Math.max(1, Math.ceil(poolSize / 4)));
}
