import { leasePhaseWord } from '@quartermaster/api/states';
import { momentOf } from '../api/api-words.ts';
import type { LeaseObject } from '../market/market-objects.ts';
import type { Phase } from '../model/phase.ts';

/**
 * The way of a lease as the market tells it: leased, manifest, deployed, running, and closed where it is. The first one that is not done is where it
 * stands; it carries the provider's words.
 */
export function deliveryPhases({ metadata, status }: LeaseObject): readonly Phase[] {
  const { delivery, closed_at: closedAt, closed_reason: closedReason = '' } = status ?? {};
  const steps = [
    ['lease', momentOf(metadata.creation_timestamp)],
    ['manifest', momentOf(delivery?.manifest_at)],
    ['deployed', momentOf(delivery?.deployed_at)],
    ['running', momentOf(delivery?.running_at)],
  ] as const;
  const isClosed = status?.state === 'LEASE_STATE_CLOSED';
  const first = steps.findIndex(([, at]) => at === undefined);
  const way = steps.map(([name, at], index): Phase => {
    const label = leasePhaseWord(name);
    const before = steps[index - 1]?.[1];
    if (at !== undefined)
      return { label, state: 'done', note: '', since: at, tookMs: before === undefined ? undefined : Math.max(0, at - before) };
    if (isClosed || index !== first) return { label, state: 'ahead', note: '' };
    const isFailed = delivery?.state === 'Error';
    return { label, state: isFailed ? 'failed' : 'current', note: delivery?.message ?? 'The provider has not reported yet.' };
  });
  return isClosed ? [...way, { label: leasePhaseWord('closed'), state: 'done', note: closedReason, since: momentOf(closedAt) }] : way;
}
