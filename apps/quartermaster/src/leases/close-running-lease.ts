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
    pods === 0
      ? 'No pods are running'
      : `${counted(pods, 'pod')} of ${services} on ${counted(nodes, 'node')} ${pods === 1 ? 'is' : 'are'} stopped`;
  const volumes = lease.volumes.length;
  const data = volumes === 0 ? '' : `, and the data of ${counted(volumes, 'volume')} is deleted`;
  return `${stopped}${data}.`;
}

const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`;
