import { toJson } from '@bufbuild/protobuf';
import { CollectLeftoversResponseSchema, type Leftover } from '@quartermaster/api/cluster';
import { StatusError } from '@quartermaster/kernel';
import type { ServerFlags } from '../server/server-flags.ts';
import { type Asked, insistOnYes, person } from '../text/confirm.ts';
import { formatDocument } from '../text/format-document.ts';
import type { Output } from '../text/output.ts';
import { table } from '../text/table.ts';
import { askLeases, leaseText } from './lease-connection.ts';

export interface CollectFlags extends ServerFlags {
  readonly dryRun: boolean;
  readonly yes: boolean;
  readonly output: 'text' | 'json' | 'yaml';
}

/** Removes what is left of leases that are certainly over, after showing it; what nobody is certain of stays. */
export async function collectLeftovers(
  _args: readonly string[],
  flags: CollectFlags,
  { out }: Output,
  _signal?: AbortSignal,
  asked: Asked = person,
): Promise<void> {
  await askLeases(flags, async (client) => {
    const found = await client.collectLeftovers({ dryRun: true });
    const removable = found.leftovers.filter(({ fate }) => fate === 'removable').length;
    const isText = flags.output === 'text';
    if (flags.dryRun || removable === 0) {
      out.write(isText ? leftoversText(found.leftovers) : documentOf(found, flags.output));
      return;
    }
    if (isText) out.write(leftoversText(found.leftovers));
    const what = `${removable} ${removable === 1 ? 'object' : 'objects'}`;
    if (!flags.yes) await insistOnYes(`Remove ${what} for good?`, `${what} would be removed for good`, 'nothing was removed', asked);
    const answer = await client.collectLeftovers({ dryRun: false });
    const removed = answer.leftovers.filter(({ fate }) => fate === 'removed');
    out.write(isText ? `${removed.length} of ${removable} removed\n` : documentOf(answer, flags.output));
    const failed = answer.leftovers.filter(({ fate, message }) => fate === 'removable' && message !== '');
    if (failed.length > 0)
      throw new StatusError('unavailable', `not removed: ${failed.map(({ object, message }) => `${object}: ${message}`).join('; ')}`);
  });
}

const documentOf = (
  answer: Parameters<typeof toJson<typeof CollectLeftoversResponseSchema>>[1],
  output: 'json' | 'yaml' | 'text',
): string =>
  formatDocument(toJson(CollectLeftoversResponseSchema, answer, { alwaysEmitImplicit: true }), output === 'yaml' ? 'yaml' : 'json');

export function leftoversText(leftovers: readonly Leftover[]): string {
  if (leftovers.length === 0) return 'No leftovers found.\n';
  const rows = leftovers.map(({ object, lease, fate, reason, message }) => [
    object,
    leaseText(lease),
    fate,
    [reason, message].filter((text) => text !== '').join(': ') || '-',
  ]);
  return table(['OBJECT', 'LEASE', 'STATUS', 'REASON'], rows);
}
