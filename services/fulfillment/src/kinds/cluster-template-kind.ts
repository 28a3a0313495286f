import * as pub from '@quartermaster/api/fulfillment';
import { ClusterTemplateSchema, MetadataSchema } from '@quartermaster/api/private';
import { defineKind } from '@quartermaster/objects';
import { clusterTemplateRules } from '../rules/index.ts';
import { tenantProjection } from './tenant-projection.ts';

export const clusterTemplateKind = defineKind(ClusterTemplateSchema, {
  metadata: MetadataSchema,
  columns: { host_classes: { path: 'node_sets.*.host_class', form: 'text[]' } },
  rules: clusterTemplateRules,
  usedBy: [{ kind: 'clusters', field: 'spec.template', blocks: 'delete' }],
  projection: tenantProjection(pub.ClusterTemplateSchema, ClusterTemplateSchema),
});
