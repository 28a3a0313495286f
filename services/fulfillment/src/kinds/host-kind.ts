import * as pub from '@quartermaster/api/fulfillment';
import { type Host, HostSchema, MetadataSchema } from '@quartermaster/api/private';
import { defineKind, type Projection, projectionOf } from '@quartermaster/objects';
import { conflictOf } from '../claims/source-conflict.ts';
import { hostRules } from '../rules/index.ts';
import { completeHosts } from './complete-hosts.ts';

export const hostKind = defineKind(HostSchema, {
  name: 'hosts',
  singular: 'host',
  metadata: MetadataSchema,
  secretPaths: ['spec.bmc.password'],
  promoted: {
    'spec.class': { column: 'class', form: 'text' },
    'spec.rack': { column: 'rack', form: 'text' },
    'spec.serial': { column: 'serial', form: 'text' },
    'spec.system_uuid': { column: 'system_uuid', form: 'text' },
    'spec.boot_mac': { column: 'boot_mac', form: 'text' },
    'status.cluster': { column: 'cluster', form: 'text' },
    'status.hub': { column: 'hub', form: 'text' },
    'status.host_pool': { column: 'host_pool', form: 'text' },
    'status.source.name': { column: 'source', form: 'text' },
    'status.state': { column: 'state', form: 'bigint' },
  },
  rules: hostRules,
  usedBy: [],
  projection: withoutSources(projectionOf(pub.HostSchema, HostSchema)),
  seenThrough: { kind: 'clusters', path: 'status.cluster' },
  complete: completeHosts,
  unfilterable: ['status.source.last_seen'],
});

/** The message of a conflict names sources and serial numbers, which are the provider's own. */
function withoutSources(projection: Projection<typeof pub.HostSchema, typeof HostSchema>): typeof projection {
  return {
    ...projection,
    unfilterable: ['status.conditions.message'],
    toPublic(host: Host) {
      const result = projection.toPublic(host);
      const conflict = conflictOf(host);
      const index = conflict === undefined ? -1 : (host.status?.conditions.indexOf(conflict) ?? -1);
      delete result.status?.conditions[index]?.message;
      return result;
    },
  };
}
