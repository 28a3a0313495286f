import type { Leftover } from '@quartermaster/api/cluster';
import { StatusError } from '@quartermaster/kernel';
import { untilAvailable } from '../support/until-available.ts';
import type { RunningLeases } from './running-leases.ts';

/**
 * What is left of leases. Where the leader loses its term meanwhile the next one is asked again, until it could try all of it: what any of them removed is told, once, as
 * removed.
 */
export async function collectLeftovers(
  site: Pick<RunningLeases, 'leases'>,
  { dryRun }: { readonly dryRun: boolean },
): Promise<readonly Leftover[]> {
  const ask = async () => (await site.leases().collectLeftovers({ dryRun })).leftovers;
  if (dryRun) return await untilAvailable(ask);
  const listed = await collectLeftovers(site, { dryRun: true });
  const told = new Map<string, Leftover>(); // object -> what became of it
  await untilAvailable(async () => {
    const left = await ask();
    for (const { object, fate } of told.values())
      if (fate === 'removable' && !left.some((each) => each.object === object)) told.delete(object);
    for (const each of left) told.set(each.object, each);
    const failed = [...told.values()].find(({ reason }) => reason === 'RemovalFailed');
    if (failed !== undefined) throw new StatusError('unavailable', `${failed.object}: ${failed.message}`);
  });
  // A try whose answer was lost tells nothing, and what it removed is listed by none after it; nor is a namespace that went meanwhile.
  const unheard = listed.filter(({ object, fate }) => fate === 'removable' && !told.has(object));
  return [...told.values(), ...unheard.map((each) => ({ ...each, fate: 'removed' }))];
}
