import * as pub from '@quartermaster/api/fulfillment';
import { ClusterTemplateSchema, MetadataSchema } from '@quartermaster/api/private';
import { defineKind, projectionOf } from '@quartermaster/objects';
import { clusterTemplateRules } from '../rules/index.ts';

export const clusterTemplateKind = defineKind(ClusterTemplateSchema, {
  name: 'cluster_templates',
  singular: 'cluster template',
  metadata: MetadataSchema,
  columns: { host_classes: { path: 'node_sets.*.host_class', form: 'text[]' } },
  rules: clusterTemplateRules,
  usedBy: [{ kind: 'clusters', field: 'spec.template', blocks: 'delete' }],
  projection: projectionOf(pub.ClusterTemplateSchema, ClusterTemplateSchema),
});
