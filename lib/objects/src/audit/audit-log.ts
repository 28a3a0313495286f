import type { RefusedWrite } from '@quartermaster/auth';
import { type Clock, type Log, messageOf } from '@quartermaster/kernel';
import { type BatchRow, type Queryable, WriteBatch } from '@quartermaster/store';
import { auditPart, auditRow } from './audit-part.ts';
import { pruneReveals } from './reveal-log.ts';

export interface AuditLogOptions {
  readonly database: Queryable;
  /** How long entries are kept. */
  readonly retentionMs: number;
  /** UUIDv7. */
  readonly newId: () => string;
  readonly clock: Clock;
  readonly log: Log;
}

/** The same caller at the same method is told of this often: who tries a thousand times is one entry a minute. */
const refusalIntervalMs = 60_000;
/** Callers and methods that are told apart. Beyond it new ones are left out until the minute is over. */
const maxRefusals = 1_000;
const pruneIntervalMs = 60 * 60_000;
const prunedAtOnce = 5_000;
const refusalsLost = 'refused writes could not be audited';

/** What of the audit log happens outside of the transactions that write: refusals come in, old entries go out. */
export class AuditLog {
  readonly #options: AuditLogOptions;
  readonly #refusedAt = new Map<string, number>(); // caller and method -> when it was told, on the monotonic clock; the oldest first
  readonly #refusals: BatchRow[] = [];
  readonly #running = new Set<Promise<void>>();
  #cancelPrune: () => void = () => {};
  #isStopped = false;

  constructor(options: AuditLogOptions) {
    this.#options = options;
  }

  /** Takes entries away that are older than the retention, now and every hour. */
  start(): void {
    this.#schedulePrune(0);
  }

  /** Waits for what is being written. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancelPrune();
    await Promise.all(this.#running);
  }

  /** Writes down that a write was refused; never throws, and never holds up who was refused. What comes while one is being written goes together. */
  recordRefusal(refused: RefusedWrite): void {
    if (this.#isStopped || !this.#isNew(refused)) return;
    const { principal, method, peer } = refused;
    const { newId } = this.#options;
    const origin = { actor: principal.name, role: principal.role, peer, method, requestId: newId() };
    this.#refusals.push(auditRow(newId(), origin, { kind: '', objectId: '', objectName: '', changes: [], outcome: 'permission_denied' }));
    if (this.#refusals.length === 1) this.#run(() => this.#writeRefusals(), refusalsLost);
  }

  /** Takes away what is older than the retention, in pieces that hold nobody up. Gives the number of entries. */
  async prune(): Promise<number> {
    const { clock, retentionMs, database } = this.#options;
    const end = firstIdAt(clock.now() - retentionMs);
    let count = 0;
    for (let pruned = prunedAtOnce; pruned === prunedAtOnce && !this.#isStopped; count += pruned) {
      const rows = await database.query<{ readonly pruned: bigint }>(pruneStatement, [end, prunedAtOnce]);
      pruned = Number(rows[0]?.pruned ?? 0);
    }
    return count;
  }

  async #writeRefusals(): Promise<void> {
    while (this.#refusals.length > 0) {
      const batch = new WriteBatch();
      const count = this.#refusals.length;
      for (const row of this.#refusals) batch.add(auditPart, row);
      try {
        await batch.flush(this.#options.database);
      } catch (thrown) {
        // Those that came meanwhile are still to be written: an end here would leave them, and all later ones, in the queue.
        this.#options.log.warn(refusalsLost, { problem: messageOf(thrown) });
      }
      // Not before, so that nobody else begins to write meanwhile.
      this.#refusals.splice(0, count);
    }
  }

  #schedulePrune(afterMs: number): void {
    this.#cancelPrune = this.#options.clock.schedule(afterMs, () => {
      this.#run(async () => {
        await this.#options.database.query(pruneReveals);
        const count = await this.prune();
        if (count > 0) this.#options.log.info('expired entries deleted from the audit log', { count });
      }, 'old entries of the audit log could not be removed');
      this.#schedulePrune(pruneIntervalMs);
    });
  }

  #isNew({ principal, method }: RefusedWrite): boolean {
    const now = this.#options.clock.monotonic();
    for (const [key, at] of this.#refusedAt) {
      if (now - at < refusalIntervalMs) break;
      this.#refusedAt.delete(key);
    }
    const key = JSON.stringify([principal.name, method]);
    if (this.#refusedAt.has(key) || this.#refusedAt.size >= maxRefusals) return false;
    this.#refusedAt.set(key, now);
    return true;
  }

  #run(work: () => Promise<void>, failure: string): void {
    const running = work()
      .catch((thrown: unknown) => this.#options.log.warn(failure, { problem: messageOf(thrown) }))
      .finally(() => this.#running.delete(running));
    this.#running.add(running);
  }
}

/** Replicas prune at the same time; each takes what no other has. */
const pruneStatement = {
  name: 'prune-audit',
  text: `with old as (select id from audit where id < $1 order by id limit $2 for update skip locked),
    gone as (delete from audit using old where audit.id = old.id returning 1)
    select count(*) as pruned from gone`,
};

/** The smallest text that a UUIDv7 of that time begins with. */
function firstIdAt(ms: number): string {
  const hex = Math.max(0, Math.floor(ms)).toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}`;
}
