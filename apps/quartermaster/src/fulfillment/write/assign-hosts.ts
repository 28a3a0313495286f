import { HostAssignments } from '@quartermaster/api/fulfillment-extras';
import { missingHosts } from '@quartermaster/api/states';
import { StatusError } from '@quartermaster/kernel';
import type { ServerFlags } from '../../server/server-flags.ts';
import type { Output } from '../../text/output.ts';
import { type ApiConnection, withApi } from '../objects/api-connection.ts';
import { findObject, nameOf, readByIds } from '../objects/read-objects.ts';

export interface ClaimFlags extends ServerFlags {
  /** So many in all. Absent: as many as the node set wants. */
  readonly count?: number | undefined;
  readonly allOrNothing: boolean;
  readonly dryRun: boolean;
}

export interface ReleaseFlags extends ServerFlags {
  readonly host: readonly string[];
  readonly dryRun: boolean;
}

/** Gives free hosts to a node set of a cluster, and says why when there are too few: then it fails. */
export async function claimHosts([cluster = '', nodeSet = '']: readonly string[], flags: ClaimFlags, { out }: Output): Promise<void> {
  await withApi(flags, async (connection) => {
    const { id } = await findObject(await connection.objects('clusters'), cluster);
    const { count = 0, allOrNothing, dryRun } = flags;
    const answer = await connection.client(HostAssignments).claimHosts({ cluster: id, nodeSet, count, allOrNothing, dryRun });
    const isDry = dryRun ? ' (dry run: nothing was written)' : '';
    for (const name of await namesOf(connection, answer.claimed)) out.write(`host ${name} assigned to ${cluster}${isDry}\n`);
    if (answer.claimed.length === 0 && answer.missing === 0)
      out.write(`${nodeSet}: all ${answer.hosts.length} hosts are assigned to ${cluster}\n`);
    if (answer.missing === 0) return;
    const reasons = answer.refusals.map(({ message }) => message);
    throw new StatusError('failed_precondition', [missingHosts(nodeSet, answer.missing), ...reasons].join('\n'));
  });
}

/** Takes hosts from a cluster: all of them, those of a node set, or some by name. */
export async function releaseHosts([cluster = '', nodeSet = '']: readonly string[], flags: ReleaseFlags, { out }: Output): Promise<void> {
  await withApi(flags, async (connection) => {
    const { id } = await findObject(await connection.objects('clusters'), cluster);
    const api = await connection.objects('hosts');
    const hosts: string[] = [];
    for (const name of flags.host) hosts.push((await findObject(api, name)).id);
    const answer = await connection.client(HostAssignments).releaseHosts({ cluster: id, nodeSet, hosts, dryRun: flags.dryRun });
    const isDry = flags.dryRun ? ' (dry run: nothing was written)' : '';
    for (const name of await namesOf(connection, answer.hosts)) out.write(`host ${name} released from ${cluster}${isDry}\n`);
    if (answer.hosts.length === 0) out.write(`no hosts released: ${cluster} has none of them assigned\n`);
  });
}

async function namesOf(connection: ApiConnection, ids: readonly string[]): Promise<readonly string[]> {
  const names = new Map((await readByIds(await connection.objects('hosts'), ids)).map((host) => [host.id, nameOf(host)])); // id -> name
  return ids.map((id) => names.get(id) ?? id);
}
