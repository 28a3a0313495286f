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
  columns: {
    class: { path: 'spec.class', form: 'text' },
    rack: { path: 'spec.rack', form: 'text' },
    serial: { path: 'spec.serial', form: 'text' },
    system_uuid: { path: 'spec.system_uuid', form: 'text' },
    boot_mac: { path: 'spec.boot_mac', form: 'text' },
    cluster: { path: 'status.cluster', form: 'text' },
    hub: { path: 'status.hub', form: 'text' },
    host_pool: { path: 'status.host_pool', form: 'text' },
    source: { path: 'status.source.name', form: 'text' },
    state: { path: 'status.state', form: 'bigint' },
    macs: { form: 'text[]', of: (host: Host) => (host.spec?.nics ?? []).map(({ mac }) => mac).filter((mac) => mac !== '') },
    is_disputed: { form: 'boolean', of: (host: Host) => conflictOf(host) !== undefined },
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
