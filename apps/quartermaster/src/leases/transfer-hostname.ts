import { toJson } from '@bufbuild/protobuf';
import { TransferHostnameResponseSchema } from '@quartermaster/api/cluster';
import { StatusError } from '@quartermaster/kernel';
import type { ServerFlags } from '../server/server-flags.ts';
import { type Asked, confirm, person } from '../text/confirm.ts';
import { formatDocument } from '../text/format-document.ts';
import type { Output } from '../text/output.ts';
import { askLeases, findLease, leaseText, nameOf, readHostnames } from './lease-connection.ts';

export interface TransferFlags extends ServerFlags {
  readonly to: string;
  readonly service: string;
  readonly yes: boolean;
  readonly output: 'text' | 'json' | 'yaml';
}

/** Gives a hostname to another lease of its owner, in one step. A person at a terminal is asked before. */
export async function transferHostname(
  [hostname = '']: readonly string[],
  flags: TransferFlags,
  { out }: Output,
  _signal?: AbortSignal,
  asked: Asked = person,
): Promise<void> {
  const { to, service, yes, output } = flags;
  await askLeases(flags, async (client) => {
    const lease = await findLease(client, to);
    const { order } = lease;
    if (order === undefined) throw new StatusError('internal', `the cluster service answered without the order of lease ${to}`);
    const held = (await readHostnames(client, order.owner)).find((each) => each.hostname === hostname.toLowerCase());
    const from = held === undefined || held.lease === '' ? '' : ` from ${leaseText(held.lease, held.owner)}`;
    const question = `Transfer ${hostname}${from} to service ${service} of lease ${nameOf(lease)}?`;
    if (!yes && !(await confirm(question, asked))) throw new StatusError('failed_precondition', 'nothing was transferred');
    const answer = await client.transferHostname({ hostname, order, service });
    out.write(
      output === 'text'
        ? `hostname ${hostname} now belongs to service ${service} of lease ${nameOf(lease)}\n`
        : formatDocument(toJson(TransferHostnameResponseSchema, answer, { alwaysEmitImplicit: true }), output),
    );
  });
}
