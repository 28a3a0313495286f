import { toJson } from '@bufbuild/protobuf';
import { type RunningLease, RunningLeaseSchema } from '@quartermaster/api/cluster';
import { messageOf } from '@quartermaster/kernel';
import type { ServerFlags } from '../server/server-flags.ts';
import { formatDocument } from '../text/format-document.ts';
import type { Output } from '../text/output.ts';
import { paintFor } from '../text/paint.ts';
import { shellsText } from './get-shells.ts';
import { askLeases, findLease, type LeaseClient, readShells } from './lease-connection.ts';
import { leaseDescription } from './lease-description.ts';

export interface DescribeLeaseFlags extends ServerFlags {
  readonly exact: boolean;
  readonly output: 'text' | 'json' | 'yaml';
}

export async function describeRunningLease([name = '']: readonly string[], flags: DescribeLeaseFlags, { out }: Output): Promise<void> {
  const { lease, shells } = await askLeases(flags, async (client) => {
    const found = await findLease(client, name);
    return { lease: found, shells: flags.output === 'text' ? await shellsOf(client, found) : '' };
  });
  out.write(
    flags.output === 'text'
      ? leaseDescription(lease, { exact: flags.exact, wide: true, now: Date.now(), paint: paintFor(out) }, shells)
      : formatDocument(toJson(RunningLeaseSchema, lease, { alwaysEmitImplicit: true }), flags.output),
  );
}

/** A service of an earlier release has no record of them. */
async function shellsOf(client: LeaseClient, { order }: RunningLease): Promise<string> {
  try {
    return shellsText(await readShells(client, { order }), Date.now());
  } catch (thrown) {
    return `unknown: ${messageOf(thrown)}`;
  }
}
