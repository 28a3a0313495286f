import { StatusError } from '@quartermaster/kernel';
import { z } from 'zod';
import type { Redundancy } from './ceph-facts.ts';

/** What Ceph itself says of a pool. */
export interface PoolUsage {
  /** Data, before redundancy. */
  readonly storedBytes: number;
  /** How much more data fits. Shrinks as data is written, here or in another pool on the same devices. */
  readonly maxAvailBytes: number;
  readonly quotaBytes: number | undefined;
  /** As far as the figures show it. */
  readonly redundancy: Redundancy | undefined;
}

const count = z.number().nonnegative().transform(Math.floor);
const answer = z.object({
  pools: z.array(
    z.object({
      name: z.string(),
      stats: z.object({
        stored: count,
        max_avail: count,
        quota_bytes: count.optional(),
        avail_raw: count.optional(),
      }),
    }),
  ),
});

/** Ceph's answer with everything that we read from it: `detail` adds the quotas. */
export const cephDfCommand: readonly string[] = ['ceph', 'df', 'detail', '--format', 'json'];

/** pool name -> usage */
export function parseCephDf(text: string): ReadonlyMap<string, PoolUsage> {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch (cause) {
    throw new StatusError('unavailable', 'ceph df did not answer with JSON: see the log of the toolbox pod', { cause });
  }
  const { success, data, error } = answer.safeParse(parsed);
  if (!success) throw new StatusError('unavailable', `ceph df: ${z.prettifyError(error)}: Ceph 14 or newer is needed`);
  return new Map(
    data.pools.map(({ name, stats }) => [
      name,
      {
        storedBytes: stats.stored,
        maxAvailBytes: stats.max_avail,
        quotaBytes: stats.quota_bytes === 0 ? undefined : stats.quota_bytes,
        redundancy: stats.avail_raw === undefined || stats.max_avail === 0 ? undefined : { raw: stats.avail_raw, data: stats.max_avail },
      },
    ]),
  );
}
