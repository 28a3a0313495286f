import {
  type Cluster,
  ClusterSchema,
  type ClusterTemplate,
  ClusterTemplateSchema,
  type Host,
  type HostClass,
  HostClassSchema,
  type HostPool,
  HostPoolSchema,
  HostSchema,
  type Hub,
  HubSchema,
  MetadataSchema,
} from '@quartermaster/api/private';
import type { ObjectType } from '@quartermaster/store';

/** How each kind is stored. Promoted columns are those of the migrations. */
export const hostType: ObjectType<Host> = {
  kind: 'hosts',
  singular: 'host',
  schema: HostSchema,
  metadata: MetadataSchema,
  secretPaths: ['spec.bmc.password'],
  promoted: {
    'spec.class': { column: 'class', form: 'text' },
    'spec.rack': { column: 'rack', form: 'text' },
    'spec.serial': { column: 'serial', form: 'text' },
    'spec.system_uuid': { column: 'system_uuid', form: 'text' },
    'spec.boot_mac': { column: 'boot_mac', form: 'text' },
    'status.cluster': { column: 'cluster', form: 'text' },
    'status.hub': { column: 'hub', form: 'text' },
    'status.host_pool': { column: 'host_pool', form: 'text' },
    'status.source.name': { column: 'source', form: 'text' },
    'status.state': { column: 'state', form: 'bigint' },
  },
};

export const hostClassType: ObjectType<HostClass> = {
  kind: 'host_classes',
  singular: 'host class',
  schema: HostClassSchema,
  metadata: MetadataSchema,
  secretPaths: [],
  promoted: {},
};

export const clusterTemplateType: ObjectType<ClusterTemplate> = {
  kind: 'cluster_templates',
  singular: 'cluster template',
  schema: ClusterTemplateSchema,
  metadata: MetadataSchema,
  secretPaths: [],
  promoted: { 'node_sets.*.host_class': { column: 'host_classes', form: 'text[]' } },
};

export const clusterType: ObjectType<Cluster> = {
  kind: 'clusters',
  singular: 'cluster',
  schema: ClusterSchema,
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
};

export const hubType: ObjectType<Hub> = {
  kind: 'hubs',
  singular: 'hub',
  schema: HubSchema,
  metadata: MetadataSchema,
  secretPaths: ['kubeconfig', 'pull_secret'],
  promoted: {},
};

export const hostPoolType: ObjectType<HostPool> = {
  kind: 'host_pools',
  singular: 'host pool',
  schema: HostPoolSchema,
  metadata: MetadataSchema,
  secretPaths: [],
  promoted: {
    'status.hub': { column: 'hub', form: 'text' },
    'spec.host_sets.*.host_class': { column: 'host_classes', form: 'text[]' },
  },
};
