import { type Hub, HubSchema, MetadataSchema } from '@quartermaster/api/private';
import { defineKind } from '@quartermaster/objects';
import { type HostRuleOptions, hubRules, withholdFromHub } from '../rules/index.ts';

/** Hubs are the provider's own: the public API does not have them. */
export const hubKind = (options: HostRuleOptions) =>
  defineKind(HubSchema, {
    metadata: MetadataSchema,
    columns: {},
    rules: hubRules(options),
    withhold: (hub: Hub) => withholdFromHub(hub, options.references),
    withheldBy: () => options.references.allowed,
    usedBy: [
      { kind: 'clusters', field: 'status.hub', blocks: 'removal' },
      { kind: 'hosts', field: 'status.hub', blocks: 'removal' },
      { kind: 'host_pools', field: 'status.hub', blocks: 'removal' },
    ],
  });
