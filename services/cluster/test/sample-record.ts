import type { LeaseRecord } from '../src/known-leases/lease-record.ts';

const sampleLease = { owner: 'amy', dseq: 7n, gseq: 1, oseq: 1, provider: 'farm' } as const;

/** A lease of amy's that was won and has nothing yet. */
export const sampleRecord = (changed: Partial<LeaseRecord> = {}): LeaseRecord => ({
  ...{ name: 'amy-7-1-1', uid: 'record-7', lease: sampleLease, namespace: 'lease-amy-7-1-1', state: 'Pending' },
  ...{ reason: 'ManifestMissing', message: '', since: 1_000, leftovers: [] },
  ...changed,
});
