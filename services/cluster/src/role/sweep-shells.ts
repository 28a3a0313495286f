import { oldShells } from '../gateway/journal/old-shells.ts';
import type { ShellStore } from '../gateway/journal/shell-store.ts';
import type { RecordStore } from '../known-leases/record-store.ts';
import type { LeaseContext } from '../leases/lease-context.ts';

interface SweepContext extends Pick<LeaseContext, 'writer' | 'clock'> {
  readonly shells: Pick<ShellStore, 'all' | 'remove'>;
  readonly records: Pick<RecordStore, 'of' | 'problem'>;
}

interface Bounds {
  readonly retentionMs: number;
  readonly mostOfLease: number;
}

/** Removes records of shells that are too many, or whose lease is forgotten. */
export async function sweepShells({ shells, records, writer, clock }: SweepContext, bounds: Bounds, signal: AbortSignal): Promise<void> {
  // A lease that cannot be seen is not forgotten.
  const isSeen = records.problem() === undefined;
  const old = oldShells(shells.all(), { ...bounds, now: clock.now(), isKnown: (name) => !isSeen || records.of(name) !== undefined });
  for (const shell of old) await shells.remove(writer, shell, signal);
}
