import { Clusters } from '@quartermaster/api/fulfillment';
import type { Ask } from '../../server/resource.ts';
import type { ServerFlags } from '../../server/server-flags.ts';
import { withApi } from '../objects/api-connection.ts';
import { findObject } from '../objects/read-objects.ts';
import { recordedNote } from './openings.ts';

/** Prints what opens a cluster, and nothing else to standard output: ready for a file or a pipe. */
export const getClusterSecret =
  (what: 'kubeconfig' | 'password'): Ask<ServerFlags> =>
  async ([name = ''], flags, { out, err }) => {
    const text = await withApi(flags, async (connection) => {
      const { id } = await findObject(await connection.objects('clusters'), name);
      const clusters = connection.client(Clusters);
      return what === 'kubeconfig' ? (await clusters.getKubeconfig({ id })).kubeconfig : (await clusters.getPassword({ id })).password;
    });
    err.write(recordedNote);
    out.write(text.endsWith('\n') ? text : `${text}\n`);
  };
