import * as pub from '@quartermaster/api/fulfillment';
import { ClusterSchema, MetadataSchema } from '@quartermaster/api/private';
import { defineKind, projectionOf } from '@quartermaster/objects';
import { clusterRules } from '../rules/index.ts';

export const clusterKind = defineKind(ClusterSchema, {
  name: 'clusters',
  singular: 'cluster',
  metadata: MetadataSchema,
  secretPaths: ['status.kubeconfig', 'status.password'],
  promoted: {
    'spec.template': { column: 'template', form: 'text' },
    'status.hub': { column: 'hub', form: 'text' },
    'status.alias': { column: 'alias', form: 'text' },
    'status.port': { column: 'port', form: 'bigint' },
    'status.state': { column: 'state', form: 'bigint' },
    'spec.node_sets.*.host_class': { column: 'host_classes', form: 'text[]' },
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
