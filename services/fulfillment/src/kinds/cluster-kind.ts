import * as pub from '@quartermaster/api/fulfillment';
import { ClusterSchema, MetadataSchema } from '@quartermaster/api/private';
import { defineKind } from '@quartermaster/objects';
import { clusterRules, withholdFromCluster } from '../rules/index.ts';
import { tenantProjection } from './tenant-projection.ts';

export const clusterKind = defineKind(ClusterSchema, {
  metadata: MetadataSchema,
  columns: {
    template: { path: 'spec.template', form: 'text' },
    hub: { path: 'status.hub', form: 'text' },
    alias: { path: 'status.alias', form: 'text' },
    port: { path: 'status.port', form: 'bigint' },
    state: { path: 'status.state', form: 'bigint' },
    host_classes: { path: 'spec.node_sets.*.host_class', form: 'text[]' },
  },
  unique: {
    clusters_alias_is_unique: { field: 'status.alias', description: 'another cluster has this alias; choose a free one' },
    clusters_port_is_unique: { field: 'status.port', description: 'another cluster of the same hub has this port; choose a free one' },
  },
  rules: clusterRules,
  withhold: withholdFromCluster,
  usedBy: [
    {
      kind: 'hosts',
      field: 'status.cluster',
      blocks: 'removal',
      wayOut: 'a provider must release them first. Run: quartermaster release CLUSTER',
      isSeenTogether: true,
    },
  ],
  projection: tenantProjection(pub.ClusterSchema, ClusterSchema),
});
