import * as pub from '@quartermaster/api/fulfillment';
import { ClusterSchema, MetadataSchema } from '@quartermaster/api/private';
import { defineKind, projectionOf } from '@quartermaster/objects';
import { clusterRules } from '../rules/index.ts';

export const clusterKind = defineKind(ClusterSchema, {
  name: 'clusters',
  singular: 'cluster',
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
  usedBy: [
    {
      kind: 'hosts',
      field: 'status.cluster',
      blocks: 'removal',
      wayOut: 'they must be released first, with ReleaseHosts, which takes a provider',
      isSeenTogether: true,
    },
  ],
  projection: projectionOf(pub.ClusterSchema, ClusterSchema),
});
