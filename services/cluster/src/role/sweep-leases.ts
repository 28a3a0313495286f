import type { HostnameClaims } from '../hostnames/hostname-book.ts';
import { oldRecords } from '../known-leases/old-records.ts';
import type { RecordStore } from '../known-leases/record-store.ts';
import type { LeaseContext } from '../leases/lease-context.ts';

interface SweepContext extends Pick<LeaseContext, 'writer' | 'clock'> {
  readonly hostnameClaims: Pick<HostnameClaims, 'sweep'>;
  readonly records: Pick<RecordStore, 'all' | 'remove'>;
  readonly view: Pick<LeaseContext['view'], 'of'>;
}

/** Forgets hostnames whose cool-down is over, and how leases went that ended long ago. */
export async function sweepLeases(
  { hostnameClaims, records, view, writer, clock }: SweepContext,
  retentionMs: number,
  signal: AbortSignal,
): Promise<void> {
  await hostnameClaims.sweep(signal);
  const isActive = (name: string): boolean => view.of(name).lease?.state === 'active';
  for (const record of oldRecords(records.all(), { retentionMs, now: clock.now(), isActive })) await records.remove(writer, record);
}
