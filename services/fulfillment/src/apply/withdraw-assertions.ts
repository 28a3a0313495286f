import type { Call } from '@quartermaster/objects';
import { lockOf, type Transaction, WriteBatch } from '@quartermaster/store';
import { type Assertion, assertionKey } from '../identity/assertion.ts';
import { AssertionLedger } from '../identity/assertion-ledger.ts';
import { readAssertionsOf, readAssertionsOn } from '../identity/assertion-rows.ts';
import { ownedOf } from '../identity/source-rows.ts';
import { writeJudged } from '../objects/write-judged.ts';
import type { ApplyOptions } from './apply-options.ts';

/**
 * Takes back what a source said of hosts that others brought, for machines that it no longer has. A host that it brought itself stays, with all that is said because
 * of it: that one is there until it is deleted.
 */
export async function withdrawAssertions(options: ApplyOptions, call: Call, source: string, sourceIds: readonly string[]): Promise<void> {
  if (call.isDryRun) return;
  const { database, onWritten } = options;
  const owned = await ownedOf(database, source, sourceIds);
  const gone = sourceIds.filter((id) => !owned.has(id));
  const assertions = await readAssertionsOf(database, source, gone);
  for (let from = 0; from < assertions.length; from += maxAtOnce) {
    const some = assertions.slice(from, from + maxAtOnce);
    const locks = some.flatMap(({ sourceId, hostId }) => [`host_sources/${source}/${sourceId}`, lockOf('hosts', hostId)]);
    await database.transaction(locks, async (tx) => await drop(options, call, tx, some));
    onWritten();
  }
}

/** Each takes two locks. */
const maxAtOnce = 300;

/** Ends these assertions, and writes what their hosts, which are held, are without them. */
async function drop(options: ApplyOptions, call: Call, tx: Transaction, assertions: readonly Assertion[]): Promise<void> {
  const ids = [...new Set(assertions.map(({ hostId }) => hostId))];
  const ledger = new AssertionLedger(await readAssertionsOn(tx, ids));
  const dropped = new Set(assertions.map(assertionKey));
  ledger.drop((assertion) => dropped.has(assertionKey(assertion)));
  const hosts = [...(await options.kinds.hosts.store.getMany(tx, ids)).values()];
  const batch = new WriteBatch();
  await writeJudged(options, call, tx, batch, ledger.judgeAll(hosts, options.clock.now()), ledger.changes());
  await batch.flush(tx);
}
