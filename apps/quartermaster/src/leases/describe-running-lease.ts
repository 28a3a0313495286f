import { toJson } from '@bufbuild/protobuf';
import { RunningLeaseSchema } from '@quartermaster/api/cluster';
import type { ServerFlags } from '../server/server-flags.ts';
import { formatDocument } from '../text/format-document.ts';
import type { Output } from '../text/output.ts';
import { paintFor } from '../text/paint.ts';
import { askLeases, findLease } from './lease-connection.ts';
import { leaseDescription } from './lease-description.ts';

export interface DescribeLeaseFlags extends ServerFlags {
  readonly exact: boolean;
  readonly output: 'text' | 'json' | 'yaml';
}

export async function describeRunningLease([name = '']: readonly string[], flags: DescribeLeaseFlags, { out }: Output): Promise<void> {
  const lease = await askLeases(flags, (client) => findLease(client, name));
  out.write(
    flags.output === 'text'
      ? leaseDescription(lease, { exact: flags.exact, wide: true, now: Date.now(), paint: paintFor(out) })
      : formatDocument(toJson(RunningLeaseSchema, lease, { alwaysEmitImplicit: true }), flags.output),
  );
}
