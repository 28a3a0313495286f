import type { Clock } from '@quartermaster/kernel';
import type { Call } from '@quartermaster/objects';
import { type Database, lockOf, WriteBatch } from '@quartermaster/store';
import { holdSurroundings } from './hold-surroundings.ts';
import { type WriteJudgedOptions, writeJudged } from './write-judged.ts';

export interface JudgeStoredOptions extends WriteJudgedOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly onWritten: () => void;
}

/** Each takes about ten locks with what it is known by, and those near it take one. */
const maxAtOnce = 100;

/** Judges hosts as they are, together with those that have something in common with them: an earlier release has written them, and judged none. */
export async function judgeStoredHosts(options: JudgeStoredOptions, call: Call, ids: readonly string[]): Promise<void> {
  const { database, kinds, clock, onWritten } = options;
  for (let from = 0; from < ids.length; from += maxAtOnce) {
    const some = ids.slice(from, from + maxAtOnce);
    const locks = some.map((id) => lockOf('hosts', id));
    await database.transaction(locks, async (tx) => {
      const hosts = [...(await kinds.hosts.store.getMany(tx, some)).values()];
      const { near, census, ledger } = await holdSurroundings(kinds, tx, hosts);
      for (const host of hosts) census.put(host);
      const judged = [...hosts, ...near];
      for (const host of judged) ledger.hearHost(host, census);
      const batch = new WriteBatch();
      await writeJudged(options, call, tx, batch, ledger.judgeAll(judged, clock.now()), ledger.changes());
      await batch.flush(tx);
    });
    onWritten();
  }
}
