import * as pub from '@quartermaster/api/fulfillment';
import { HostClassSchema, MetadataSchema } from '@quartermaster/api/private';
import { defineKind } from '@quartermaster/objects';
import { hostClassRules } from '../rules/index.ts';
import { tenantProjection } from './tenant-projection.ts';

export const hostClassKind = defineKind(HostClassSchema, {
  metadata: MetadataSchema,
  columns: {},
  rules: hostClassRules,
  usedBy: [
    { kind: 'hosts', field: 'spec.class', blocks: 'delete' },
    { kind: 'cluster_templates', field: 'node_sets.*.host_class', blocks: 'delete' },
    { kind: 'clusters', field: 'spec.node_sets.*.host_class', blocks: 'delete' },
    { kind: 'host_pools', field: 'spec.host_sets.*.host_class', blocks: 'delete' },
  ],
  projection: tenantProjection(pub.HostClassSchema, HostClassSchema),
});
