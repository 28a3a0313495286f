import { HubSchema, MetadataSchema } from '@quartermaster/api/private';
import { defineKind } from '@quartermaster/objects';
import { hubRules } from '../rules/index.ts';

/** Hubs are the provider's own: the public API does not have them. */
export const hubKind = defineKind(HubSchema, {
  name: 'hubs',
  singular: 'hub',
  metadata: MetadataSchema,
  columns: {},
  rules: hubRules,
  usedBy: [
    { kind: 'clusters', field: 'status.hub', blocks: 'removal' },
    { kind: 'hosts', field: 'status.hub', blocks: 'removal' },
    { kind: 'host_pools', field: 'status.hub', blocks: 'removal' },
  ],
});
