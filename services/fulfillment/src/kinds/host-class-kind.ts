import * as pub from '@quartermaster/api/fulfillment';
import { HostClassSchema, MetadataSchema } from '@quartermaster/api/private';
import { defineKind, projectionOf } from '@quartermaster/objects';
import { hostClassRules } from '../rules/index.ts';

export const hostClassKind = defineKind(HostClassSchema, {
  name: 'host_classes',
  singular: 'host class',
  metadata: MetadataSchema,
  columns: {},
  rules: hostClassRules,
  usedBy: [
    { kind: 'hosts', field: 'spec.class', blocks: 'delete' },
    { kind: 'cluster_templates', field: 'node_sets.*.host_class', blocks: 'delete' },
    { kind: 'clusters', field: 'spec.node_sets.*.host_class', blocks: 'delete' },
    { kind: 'host_pools', field: 'spec.host_sets.*.host_class', blocks: 'delete' },
  ],
  projection: projectionOf(pub.HostClassSchema, HostClassSchema),
});
