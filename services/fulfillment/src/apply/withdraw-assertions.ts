import type { Call } from '@quartermaster/objects';
import { lockOf, WriteBatch } from '@quartermaster/store';
import { readAssertionsOf } from '../identity/assertion-rows.ts';
import { dropAssertions } from '../objects/write-judged.ts';
import type { ApplyOptions } from './apply-options.ts';
import { ownedOf } from './source-rows.ts';

/**
 * Takes back what a source said of hosts that others brought, for machines that it no longer has. A host that it brought itself stays, with all that is said because
 * of it: that one is there until it is deleted.
 */
export async function withdrawAssertions(
  { database, kinds, clock, newId, onWritten }: ApplyOptions,
  call: Call,
  source: string,
  sourceIds: readonly string[],
): Promise<void> {
  if (call.isDryRun) return;
  const owned = await ownedOf(database, source, sourceIds);
  const gone = sourceIds.filter((id) => !owned.has(id));
  const assertions = await readAssertionsOf(database, source, gone);
  for (let from = 0; from < assertions.length; from += maxAtOnce) {
    const some = assertions.slice(from, from + maxAtOnce);
    const locks = some.flatMap(({ sourceId, hostId }) => [`host_sources/${source}/${sourceId}`, lockOf('hosts', hostId)]);
    await database.transaction(locks, async (tx) => {
      const batch = new WriteBatch();
      await dropAssertions({ kinds, nowMs: clock.now(), newId }, call, tx, batch, some);
      await batch.flush(tx);
    });
    onWritten();
  }
}

/** Each takes two locks. */
const maxAtOnce = 300;
