import type { Host } from '@quartermaster/api/private';
import { holdWritten, lockOf, type Transaction } from '@quartermaster/store';
import { AssertionLedger } from '../identity/assertion-ledger.ts';
import { readAssertionsOfHosts } from '../identity/assertion-rows.ts';
import { MachineCensus } from '../identity/machine-census.ts';
import { markLocks } from '../identity/mark-locks.ts';
import { neighbourIds, readNeighbourhood, soughtOf } from '../identity/read-neighbours.ts';
import type { Kinds } from '../kinds/kinds.ts';

/** What hosts are judged by. */
export interface Surroundings {
  /** Others that have something in common with the hosts, and are held. */
  readonly near: readonly Host[];
  /** Without the hosts themselves. */
  readonly census: MachineCensus;
  /** What is asserted by and of the hosts and all others. */
  readonly ledger: AssertionLedger;
}

/** Holds what the hosts are known by and those that have something in common with them; then reads. The hosts are held already. To be called before a statement that writes. */
export async function holdSurroundings(
  { hosts: kind }: Pick<Kinds, 'hosts'>,
  tx: Transaction,
  hosts: readonly Host[],
): Promise<Surroundings> {
  const sought = hosts.map(soughtOf);
  const own = new Set(hosts.map(({ id }) => id));
  // Who is at the other end of an assertion is judged with them, whatever they have in common by now: its assertions end here, and nobody else would look.
  const [, ids] = await Promise.all([holdWritten(tx, markLocks(...hosts)), neighbourIds(tx, sought, [...own])]);
  await holdWritten(
    tx,
    ids.filter((id) => id !== '').map((id) => lockOf('hosts', id)),
  );
  // Anew: what is near is locked only now. Of very many that share a mark another look may find others.
  const { near, beyond } = await readNeighbourhood(kind, tx, sought, [...own]);
  const held = new Set(ids);
  const others = [...near, ...beyond].filter(({ id }) => !own.has(id));
  const assertions = await readAssertionsOfHosts(
    tx,
    [...hosts, ...others].map(({ id }) => id),
  );
  return {
    near: near.filter(({ id }) => held.has(id) && !own.has(id)),
    census: new MachineCensus(others, assertions),
    ledger: new AssertionLedger(assertions),
  };
}
