import { oldShells } from '../gateway/journal/old-shells.ts';
import type { ShellStore } from '../gateway/journal/shell-store.ts';
import type { RecordStore } from '../known-leases/record-store.ts';
import type { LeaseContext } from '../leases/lease-context.ts';

interface SweepContext extends Pick<LeaseContext, 'writer' | 'clock'> {
  readonly shells: Pick<ShellStore, 'all' | 'remove'>;
  readonly records: Pick<RecordStore, 'of' | 'problem'>;
  readonly view: Pick<LeaseContext['view'], 'of'>;
}

interface Bounds {
  readonly retentionMs: number;
  readonly mostOfLease: number;
}

/** Removes records of shells that are too many, or whose lease is forgotten. */
export async function sweepShells(context: SweepContext, bounds: Bounds, signal: AbortSignal): Promise<void> {
  const { shells, records, view, writer, clock } = context;
  // A lease that cannot be seen is not forgotten, nor is one that the market has.
  const isSeen = records.problem() === undefined;
  const isKnown = (name: string): boolean => !isSeen || records.of(name) !== undefined || view.of(name).lease?.state === 'active';
  const old = oldShells(shells.all(), { ...bounds, now: clock.now(), isKnown });
  for (const shell of old) await shells.remove(writer, shell, signal);
}
