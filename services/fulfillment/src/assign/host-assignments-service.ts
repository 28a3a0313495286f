import { HostAssignments } from '@quartermaster/api/fulfillment-extras';
import { callOf } from '@quartermaster/objects';
import { type ServedService, serve } from '@quartermaster/rpc';
import type { AssignOptions } from './assign-options.ts';
import { claimHosts } from './claim-hosts.ts';
import { releaseHosts } from './release-hosts.ts';

/** Assigns hosts to clusters: the only way in which a host gets to a cluster or away from it. */
export function hostAssignmentsService(options: AssignOptions): ServedService {
  return serve(HostAssignments, {
    claimHosts: async (request, context) => {
      const { hosts, claimed, missing, refusals, cluster } = await claimHosts(options, callOf(context, request), request);
      return { hosts: [...hosts], claimed: [...claimed], missing, refusals: [...refusals], cluster };
    },
    releaseHosts: async (request, context) => {
      const { hosts, cluster } = await releaseHosts(options, callOf(context, request), request);
      return { hosts: [...hosts], cluster };
    },
  });
}
