import { Clusters } from '@quartermaster/api/fulfillment';
import type { Ask } from '../../server/resource.ts';
import type { ServerFlags } from '../../server/server-flags.ts';
import { withApi } from '../objects/api-connection.ts';
import { findObject } from '../objects/read-objects.ts';

/** Prints what opens a cluster, to standard output and nothing else: ready for a file or a pipe. */
export const getClusterSecret =
  (what: 'kubeconfig' | 'password'): Ask<ServerFlags> =>
  async ([name = ''], flags, { out }) => {
    const text = await withApi(flags, async (connection) => {
      const { id } = await findObject(await connection.objects('clusters'), name);
      const clusters = connection.client(Clusters);
      return what === 'kubeconfig' ? (await clusters.getKubeconfig({ id })).kubeconfig : (await clusters.getPassword({ id })).password;
    });
    out.write(text.endsWith('\n') ? text : `${text}\n`);
  };
