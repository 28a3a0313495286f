import type { Clock } from '@quartermaster/kernel';
import type { Call } from '@quartermaster/objects';
import { type Database, lockOf, WriteBatch } from '@quartermaster/store';
import type { Kinds } from '../kinds/kinds.ts';
import { holdSurroundings } from './hold-surroundings.ts';
import { writeJudged } from './write-judged.ts';

export interface JudgeStoredOptions {
  readonly database: Database;
  readonly kinds: Pick<Kinds, 'hosts' | 'clusters'>;
  readonly clock: Clock;
  readonly newId: () => string;
  readonly onWritten: () => void;
}

/** Each takes about ten locks with what it is known by, and those near it take one. */
const maxAtOnce = 100;

/** Judges hosts as they are, together with those that have something in common with them: an earlier release has written them, and judged none. */
export async function judgeStoredHosts(options: JudgeStoredOptions, call: Call, ids: readonly string[]): Promise<void> {
  const { database, kinds, clock, newId, onWritten } = options;
  for (let from = 0; from < ids.length; from += maxAtOnce) {
    const some = ids.slice(from, from + maxAtOnce);
    const locks = some.map((id) => lockOf('hosts', id));
    await database.transaction(locks, async (tx) => {
      const hosts = [...(await kinds.hosts.store.getMany(tx, some)).values()];
      const { near, census, ledger } = await holdSurroundings(kinds, tx, hosts);
      for (const host of hosts) census.put(host);
      const judged = [...hosts, ...near];
      for (const host of judged) ledger.settleHost(host, census);
      const batch = new WriteBatch();
      await writeJudged({ kinds, nowMs: clock.now(), newId }, call, tx, batch, ledger, judged);
      await batch.flush(tx);
    });
    onWritten();
  }
}
