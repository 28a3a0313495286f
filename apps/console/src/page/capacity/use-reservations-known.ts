import { useMemo } from 'react';
import type { Reservations } from '../model/reserved.ts';
import { useSession } from '../session/session.ts';
import { useClusterAccess, useClusterStatus } from '../upstreams/use-cluster-service.ts';

/** What is known of reservations, for bars that show what is left. */
export function useReservationsKnown(): Reservations {
  const { hasClusterService } = useSession();
  const { isShown } = useClusterAccess();
  const { status, why, isWaiting } = useClusterStatus();
  const availability = status?.availability;
  return useMemo(() => {
    if (!hasClusterService) return { kind: 'none' };
    if (!isShown) return { kind: 'unknown', why: 'The cluster service shows you no reservations.' };
    if (why !== undefined) return { kind: 'unknown', why, isWaiting };
    if (availability === undefined) return { kind: 'unknown', why: 'The cluster service has not read the inventory yet.' };
    return { kind: 'known', availability };
  }, [hasClusterService, isShown, why, isWaiting, availability]);
}
