import { type Clock, type Log, messageOf } from '@quartermaster/kernel';
import type { Queryable } from '@quartermaster/store';

export interface ArchiveKeeperOptions {
  readonly database: Queryable;
  /** How long deleted objects are kept. */
  readonly retentionMs: number;
  readonly clock: Clock;
  readonly log: Log;
}

const pruneIntervalMs = 60 * 60_000;
const prunedAtOnce = 1_000;

/** Replicas prune at the same time; each takes what no other has. */
const statement = {
  name: 'prune-archive',
  text: `with old as (select seq from archive where archived_at < now() - make_interval(secs => $1) order by archived_at limit $2 for update skip locked),
    gone as (delete from archive using old where archive.seq = old.seq returning 1)
    select count(*) as pruned from gone`,
};

/** Takes deleted objects out of the archive when their time is over: at the start and every hour. */
export class ArchiveKeeper {
  readonly #options: ArchiveKeeperOptions;
  #cancel: () => void = () => {};
  #running: Promise<void> = Promise.resolve();
  #isStopped = false;

  constructor(options: ArchiveKeeperOptions) {
    this.#options = options;
  }

  start(): void {
    this.#schedule(0);
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancel();
    await this.#running;
  }

  /** Gives the number of objects. */
  async prune(): Promise<number> {
    const { database, retentionMs } = this.#options;
    let count = 0;
    for (let pruned = prunedAtOnce; pruned === prunedAtOnce && !this.#isStopped; count += pruned) {
      const [row] = await database.query<{ readonly pruned: bigint }>(statement, [retentionMs / 1000, prunedAtOnce]);
      pruned = Number(row?.pruned ?? 0);
    }
    return count;
  }

  #schedule(afterMs: number): void {
    const { clock, log } = this.#options;
    this.#cancel = clock.schedule(afterMs, () => {
      this.#running = this.prune()
        .then((count) => {
          if (count > 0) log.info('expired objects deleted from the archive', { count });
        })
        .catch((thrown: unknown) => log.warn('the archive cannot be pruned; retrying later', { error: messageOf(thrown) }))
        .finally(() => {
          if (!this.#isStopped) this.#schedule(pruneIntervalMs);
        });
    });
  }
}
