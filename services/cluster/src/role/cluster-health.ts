import type { ElectionStatus } from '@quartermaster/kube';
import { degraded, failed, type HealthRegistry, type HealthStatus, healthy } from '@quartermaster/service';
import { conditionsOf } from '../book/conditions.ts';
import type { ReservationBook } from '../book/reservation-book.ts';
import type { ReservationCache } from '../reservations/reservation-cache.ts';

export interface HealthSources {
  readonly book: ReservationBook;
  readonly reservations: Pick<ReservationCache, 'problem' | 'stale' | 'isRead' | 'isAbsent'>;
  readonly election: () => ElectionStatus;
}

/**
 * A replica that has never read the cluster is of no use. One whose knowledge has grown old still shows what is promised, and says why it promises nothing.
 */
export function registerHealth(health: HealthRegistry, { book, reservations, election }: HealthSources): void {
  health.register('inventory', 'ready', () => {
    const { protocol, problem } = book.knowledge;
    if (problem === undefined) return healthy;
    return protocol === 'unknown' ? failed(problem.message) : degraded(problem.message);
  });
  health.register('reservations', 'ready', () => {
    const problem = reservations.problem();
    const stale = reservations.stale();
    if (problem === undefined) return stale === undefined ? healthy : degraded(stale.message);
    // Where the kind is not installed, waiting does not help, and callers are told what does.
    return reservations.isRead || reservations.isAbsent ? degraded(problem.message) : failed(problem.message);
  });
  health.register('leader', 'ready', () => {
    const { isLeader, holder = '' } = election();
    return isLeader || holder !== '' ? healthy : degraded('no replica is known to lead: nothing can be reserved until one does');
  });
  health.register('over-commitment', 'ready', () => overCommitment(book));
}

function overCommitment(book: ReservationBook): HealthStatus {
  const { overCommitted } = book.places;
  const [name] = overCommitted;
  if (name === undefined) return healthy;
  const message = conditionsOf(book, name).find(({ type }) => type === 'OverCommitted')?.message ?? '';
  if (overCommitted.length === 1) return degraded(`reservation ${name} is over-committed: ${message}`);
  return degraded(`${overCommitted.length} reservations are over-committed, among them ${name}: ${message}`);
}
