import { openKind } from '@quartermaster/objects';
import type { Sealer } from '@quartermaster/store';
import type { HostRuleOptions } from '../rules/index.ts';
import { clusterKind } from './cluster-kind.ts';
import { clusterTemplateKind } from './cluster-template-kind.ts';
import { hostClassKind } from './host-class-kind.ts';
import { hostKind } from './host-kind.ts';
import { hostPoolKind } from './host-pool-kind.ts';
import { hubKind } from './hub-kind.ts';

/** All kinds, by the plural that names tables, routes and events. */
export type Kinds = ReturnType<typeof createKinds>;

export function createKinds(keys: Sealer, options: HostRuleOptions) {
  return {
    hosts: openKind(hostKind(options), keys),
    host_classes: openKind(hostClassKind, keys),
    cluster_templates: openKind(clusterTemplateKind, keys),
    clusters: openKind(clusterKind, keys),
    hubs: openKind(hubKind(options), keys),
    host_pools: openKind(hostPoolKind, keys),
  };
}
