import * as pub from '@quartermaster/api/fulfillment';
import { HostPoolSchema, MetadataSchema } from '@quartermaster/api/private';
import { defineKind, projectionOf } from '@quartermaster/objects';
import { hostPoolRules } from '../rules/index.ts';

export const hostPoolKind = defineKind(HostPoolSchema, {
  name: 'host_pools',
  singular: 'host pool',
  metadata: MetadataSchema,
  secretPaths: [],
  promoted: {
    'status.hub': { column: 'hub', form: 'text' },
    'spec.host_sets.*.host_class': { column: 'host_classes', form: 'text[]' },
  },
  rules: hostPoolRules,
  usedBy: [{ kind: 'hosts', field: 'status.host_pool', blocks: 'removal' }],
  projection: projectionOf(pub.HostPoolSchema, HostPoolSchema),
});
