import { orderName } from '../../reservations/order-name.ts';
import type { ShellRecord } from './shell-record.ts';

/** Of all leases of one account so many are kept: it could order, open shells and close without end. */
const mostOfOwner = 2_000;

interface Forgetting {
  readonly mostOfLease: number;
  readonly retentionMs: number;
  readonly now: number;
  /** Whether a lease is on record, by the name of its order: its shells are kept as long as that. */
  readonly isKnown: (name: string) => boolean;
}

/** Shells that are not kept any more: the oldest of a lease that has too many, and those of leases that are forgotten. */
export function oldShells(all: readonly ShellRecord[], { mostOfLease, retentionMs, now, isKnown }: Forgetting): readonly ShellRecord[] {
  const nameOf = ({ lease }: ShellRecord): string => orderName(lease);
  const newest = all.toSorted((a, b) => b.openedAt - a.openedAt || (a.name < b.name ? 1 : -1));
  const old = new Set([
    // A lease that has just been won may have been shown here later than its first shell.
    ...newest.filter((shell) => !isKnown(nameOf(shell)) && shell.openedAt + retentionMs <= now),
    ...beyond(newest, nameOf, mostOfLease),
    ...beyond(newest, ({ lease }) => lease.owner, mostOfOwner),
  ]);
  return [...old];
}

const beyond = (newest: readonly ShellRecord[], groupOf: (shell: ShellRecord) => string, most: number): readonly ShellRecord[] =>
  [...Map.groupBy(newest, groupOf).values()].flatMap((group) => group.slice(most));
