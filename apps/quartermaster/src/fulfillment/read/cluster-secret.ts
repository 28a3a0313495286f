import { Clusters } from '@quartermaster/api/fulfillment';
import type { ServerFlags } from '../../server/server-flags.ts';
import type { Output } from '../../text/output.ts';
import { withApi } from '../objects/api-connection.ts';
import { findObject } from '../objects/read-objects.ts';

/** Prints what opens a cluster, to standard output and nothing else: ready for a file or a pipe. */
export async function getClusterSecret(what: 'kubeconfig' | 'password', name: string, flags: ServerFlags, { out }: Output): Promise<void> {
  const text = await withApi(flags, async (connection) => {
    const { id } = await findObject(await connection.objects('clusters'), name);
    const clusters = connection.client(Clusters);
    return what === 'kubeconfig' ? (await clusters.getKubeconfig({ id })).kubeconfig : (await clusters.getPassword({ id })).password;
  });
  out.write(text.endsWith('\n') ? text : `${text}\n`);
}
