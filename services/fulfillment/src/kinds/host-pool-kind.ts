import * as pub from '@quartermaster/api/fulfillment';
import { HostPoolSchema, MetadataSchema } from '@quartermaster/api/private';
import { defineKind } from '@quartermaster/objects';
import { hostPoolRules } from '../rules/index.ts';
import { tenantProjection } from './tenant-projection.ts';

export const hostPoolKind = defineKind(HostPoolSchema, {
  metadata: MetadataSchema,
  columns: {
    hub: { path: 'status.hub', form: 'text' },
    host_classes: { path: 'spec.host_sets.*.host_class', form: 'text[]' },
  },
  rules: hostPoolRules,
  usedBy: [{ kind: 'hosts', field: 'status.host_pool', blocks: 'removal' }],
  projection: tenantProjection(pub.HostPoolSchema, HostPoolSchema),
});
