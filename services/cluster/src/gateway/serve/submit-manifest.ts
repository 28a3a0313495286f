import type { LeaseRecord } from '../../known-leases/lease-record.ts';
import type { ReceivedManifest } from '../../market/market.ts';
import type { TenantActions } from './leader-actions.ts';

/** Each lease judges it by itself: one may take what another refuses. Throws what the first of those says that refuse. */
export async function submitManifest(
  actions: Pick<TenantActions, 'submitManifest'>,
  leases: readonly Pick<LeaseRecord, 'lease'>[],
  received: ReceivedManifest,
  signal: AbortSignal,
): Promise<void> {
  const answers = await Promise.allSettled(leases.map(({ lease }) => actions.submitManifest(lease, received, signal)));
  for (const answer of answers) if (answer.status === 'rejected') throw answer.reason;
}
