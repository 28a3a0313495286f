import { clone } from '@bufbuild/protobuf';
import { type Timestamp, timestampFromMs } from '@bufbuild/protobuf/wkt';
import type { Clock } from '@quartermaster/kernel';
import { type Call, type Kind, recordWrite } from '@quartermaster/objects';
import { type Database, holdWritten, lockOf, type StoredObject, type Transaction, WriteBatch } from '@quartermaster/store';
import type { Kinds } from '../kinds/kinds.ts';

export interface TradeOptions {
  readonly database: Database;
  readonly kinds: Kinds;
  readonly clock: Clock;
  /** UUIDv7. */
  readonly newId: () => string;
  /** Something was written: readers of the feed may look. */
  readonly onWritten: () => void;
  /** How long an order stays open. */
  readonly orderLifetimeMs: number;
}

/** Who does it: a caller, or the market itself. */
export type Trader = Pick<Call, 'origin' | 'isDryRun'>;

/**
 * What one transaction does to a deployment and to its orders, bids and leases. Whoever changes any of them holds the lock of the deployment, so that they are decided one
 * after the other, by what is stored.
 */
export class Trade {
  readonly tx: Transaction;
  readonly kinds: Kinds;
  readonly by: string;
  readonly at: Timestamp;
  readonly orderLifetimeMs: number;
  readonly batch = new WriteBatch();
  readonly #options: TradeOptions;
  readonly #trader: Trader;
  readonly #written: string[] = []; // locks of objects that are written

  constructor(tx: Transaction, options: TradeOptions, trader: Trader) {
    this.tx = tx;
    this.kinds = options.kinds;
    this.by = trader.origin.actor;
    this.at = timestampFromMs(options.clock.now());
    this.orderLifetimeMs = options.orderLifetimeMs;
    this.#options = options;
    this.#trader = trader;
  }

  create<M extends StoredObject>(kind: Kind<M>, object: M): M {
    const stored = kind.store.create(this.batch, object);
    this.#record(kind, undefined, stored);
    return stored;
  }

  /** `before` was read in this transaction. What is not audited is told by the feed alone. */
  update<M extends StoredObject>(kind: Kind<M>, before: M, after: M, { isAudited = true }: { readonly isAudited?: boolean } = {}): M {
    const stored = kind.store.update(this.batch, before, after);
    if (isAudited) this.#record(kind, before, after);
    else this.#written.push(lockOf(kind.name, after.id));
    return stored;
  }

  remove<M extends StoredObject>(kind: Kind<M>, before: M): void {
    const last = clone(kind.schema, before);
    if (last.metadata !== undefined) last.metadata.deletionTimestamp = this.at;
    kind.store.remove(this.batch, before, last);
    this.#record(kind, before, last);
  }

  /** Writes everything, unless it is only tried. Gives whether anything was written. */
  async end(): Promise<boolean> {
    if (this.#trader.isDryRun || this.batch.isEmpty) return false;
    await holdWritten(this.tx, this.#written);
    await this.batch.flushLast(this.tx);
    return true;
  }

  #record<M extends StoredObject>(kind: Kind<M>, before: M | undefined, after: M): void {
    if (before !== undefined) this.#written.push(lockOf(kind.name, after.id));
    recordWrite(this.batch, this.#trader, kind, this.#options.newId, before, after);
  }
}

/** Runs work on the deployment with this id, and on what belongs to it, as one transaction. */
export async function trade<T>(options: TradeOptions, trader: Trader, deployment: string, work: (trade: Trade) => Promise<T>): Promise<T> {
  let hasWritten = false;
  try {
    return await options.database.transaction(
      [lockOf('deployments', deployment)],
      async (tx) => {
        const open = new Trade(tx, options, trader);
        const result = await work(open);
        hasWritten = await open.end();
        return result;
      },
      { keepsPlans: true },
    );
  } finally {
    if (hasWritten) options.onWritten();
  }
}

/** What the market does by itself, for the audit log. */
export const itself = (what: string): Trader => ({
  origin: { actor: 'market', role: 'market', peer: '', method: what, requestId: '' },
  isDryRun: false,
});
