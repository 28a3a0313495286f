import type { LeaseStand } from '../model/lease-stand.ts';
import type { LeaseKnowledge } from './lease-context.ts';

type Known = Pick<LeaseKnowledge, 'records' | 'namespaces' | 'book'>;

export function leaseStand(known: Known, name: string): LeaseStand {
  const { records, namespaces } = known;
  const record = records.of(name);
  const isFollowed = records.problem() === undefined && namespaces.isKnown;
  // A record that was lost and made anew says nothing of what stands: a namespace of its name does, whoever made that.
  const hasNothing = record !== undefined && [record.manifestHash, record.namespaceUid, namespaces.get(record.namespace)].every(isMissing);
  const runs = mayRun(known, name);
  return {
    mayRun: runs,
    mayBeMade: runs && !(isFollowed && hasNothing),
    lasts: isFollowed && record !== undefined && record.state !== 'Complete' && record.closingAt === undefined,
  };
}

const isMissing = (value: unknown): boolean => value === undefined;

/** Whether something of a lease runs, or may: what is not known may. While it may, its part of the cluster is not given back. */
export function mayRun({ records, namespaces, book }: Known, name: string): boolean {
  if (!records.isRead || !namespaces.isKnown) return true;
  const record = records.of(name);
  if (record !== undefined) return record.state !== 'Complete';
  const recorded = book.reservation(name)?.leaseNamespace;
  return recorded !== undefined && namespaces.get(recorded.name)?.live.uid === recorded.uid;
}
