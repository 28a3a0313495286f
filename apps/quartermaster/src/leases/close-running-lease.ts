import { LeaseRunState, type RunningLease } from '@quartermaster/api/cluster';
import { StatusError } from '@quartermaster/kernel';
import type { ServerFlags } from '../server/server-flags.ts';
import { type Asked, insistOnYes, person } from '../text/confirm.ts';
import type { Output } from '../text/output.ts';
import { askLeases, findLease, nameOf } from './lease-connection.ts';
import { nodesOf } from './lease-list.ts';

export interface CloseLeaseFlags extends ServerFlags {
  readonly reason?: string | undefined;
  readonly yes: boolean;
}

/** Ends a lease at the market, in the name of this provider. It is somebody's workload: without --yes a person has to say so. */
export async function closeRunningLease(
  [typed = '']: readonly string[],
  flags: CloseLeaseFlags,
  { out }: Output,
  _signal?: AbortSignal,
  asked: Asked = person,
): Promise<void> {
  await askLeases(flags, async (client) => {
    const lease = await findLease(client, typed);
    const { order, state, marketState } = lease;
    if (order === undefined) throw new StatusError('internal', `the cluster service answered without the order of lease ${typed}`);
    if (marketState === 'closed' || state === LeaseRunState.COMPLETE) {
      out.write(`lease ${nameOf(lease)} is already closed\n`);
      return;
    }
    const effect = effectText(lease);
    if (!flags.yes) await insistOnYes(`Close lease ${nameOf(lease)}? ${effect}`, effect.replace(/\.$/, ''), 'nothing was closed', asked);
    await client.closeLease({ order, reason: flags.reason ?? '' });
    out.write(`lease ${nameOf(lease)} closed; its workload is being removed\n`);
  });
}

function effectText(lease: RunningLease): string {
  const pods = lease.services.reduce((sum, service) => sum + service.pods.length, 0);
  const nodes = nodesOf(lease).length;
  const services = lease.services.map(({ name }) => name).join(', ');
  const stopped =
    pods === 0 ? 'Nothing of it runs' : `${pods} pods of ${services} on ${nodes} ${nodes === 1 ? 'node' : 'nodes'} are stopped`;
  const data = lease.volumes.length === 0 ? '' : `, and the data of ${lease.volumes.length} volumes is deleted`;
  return `${stopped}${data}.`;
}
