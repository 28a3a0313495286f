import type { Clock } from '@quartermaster/kernel';
import type { AlsoWrite } from '@quartermaster/objects';
import type { BatchPart } from '@quartermaster/store';
import { dropClaim, readClaimsOf, readClaimsOn } from '../claims/claim-rows.ts';
import type { Kinds } from '../kinds/kinds.ts';
import { dropClaims } from './write-judged.ts';

const forgetPart: BatchPart = {
  name: 'forget-sources',
  sql: (rows) => `delete from host_sources as s using json_to_recordset(${rows}) as r(host_id text) where s.host_id = r.host_id`,
};

export interface ForgetOptions {
  readonly kinds: Pick<Kinds, 'hosts' | 'clusters'>;
  readonly clock: Clock;
  readonly newId: () => string;
}

/**
 * With a host goes what is known of its source: should the source still have it, it brings it in anew. What others claimed of the host goes, too, and what its source
 * claimed of other hosts because of it.
 */
export function forgetSources({ kinds, clock, newId }: ForgetOptions): AlsoWrite {
  return async (tx, batch, { id }, after, call) => {
    if (after !== undefined) return;
    batch.add(forgetPart, { host_id: id });
    for (const claim of await readClaimsOn(tx, [id])) dropClaim(batch, claim);
    const source = (await kinds.hosts.store.get(tx, id))?.status?.source;
    if (source === undefined) return;
    const claims = (await readClaimsOf(tx, source.name, [source.id])).filter(({ hostId }) => hostId !== id);
    if (claims.length > 0) await dropClaims({ kinds, nowMs: clock.now(), newId }, call, tx, batch, claims);
  };
}
