import { HostSources } from '@quartermaster/api/fulfillment-extras';
import { principalOf } from '@quartermaster/auth';
import { callOf } from '@quartermaster/objects';
import { type ServedService, serve } from '@quartermaster/rpc';
import { listSources } from '../identity/source-rows.ts';
import { applyHosts } from './apply-hosts.ts';
import type { ApplyOptions } from './apply-options.ts';

/** Takes in what inventory sources know of hosts. A synchronizer sees and speaks for its own source only. */
export function hostSourcesService(options: ApplyOptions): ServedService {
  return serve(HostSources, {
    applyHosts: async (request, context) => {
      const { hosts, classes } = await applyHosts(options, callOf(context, request), request);
      return {
        hosts: hosts.map((host, index) => ({ ...host, sourceId: request.hosts[index]?.sourceId ?? '' })),
        classes: classes.map(({ id, outcome, message, violations }) => ({ id, outcome, message, violations })),
      };
    },
    list: async (_request, context) => {
      const { role, source } = principalOf(context.identity);
      const sources = await listSources(options.database, role === 'sync' ? (source ?? '') : undefined);
      return {
        sources: sources.map(({ name, hosts, last_seen: { seconds, nanos } }) => ({ name, hosts, lastSeen: { seconds, nanos } })),
      };
    },
  });
}
