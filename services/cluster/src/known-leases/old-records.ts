import type { LeaseRecord } from './lease-record.ts';

/** Of ended leases of one account so many are kept: it could order and close without end. */
const mostOfOwner = 1_000;

interface Forgetting {
  readonly retentionMs: number;
  readonly now: number;
  /** Whether the market has the lease again: without its record it would be taken for new, and deployed without what it had. */
  readonly isActive: (name: string) => boolean;
}

/** Records of ended leases that nobody needs any more, by their age and by how many newer ones their owner has. */
export function oldRecords(all: readonly LeaseRecord[], { retentionMs, now, isActive }: Forgetting): readonly LeaseRecord[] {
  const ended = all.flatMap((record) => (record.completeAt === undefined ? [] : [{ record, completeAt: record.completeAt }]));
  const byOwner = Map.groupBy(ended, ({ record }) => record.lease.owner);
  return [...byOwner.values()].flatMap((own) =>
    own
      .toSorted((a, b) => b.completeAt - a.completeAt)
      .filter(({ completeAt }, newer) => newer >= mostOfOwner || completeAt + retentionMs <= now)
      .map(({ record }) => record)
      .filter(({ name }) => !isActive(name)),
  );
}
