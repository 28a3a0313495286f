import type { Cluster, ClusterTemplate, Host, HostClass, HostPool, Hub } from '@quartermaster/api/private';
import { ObjectStore, type Sealer } from '@quartermaster/store';
import { clusterRules, clusterTemplateRules, hostClassRules, hostPoolRules, hostRules, hubRules } from '../rules/index.ts';
import { completeHosts } from './complete-hosts.ts';
import type { Kind } from './kind.ts';
import { clusterTemplateType, clusterType, hostClassType, hostPoolType, hostType, hubType } from './object-types.ts';

/** All kinds, by the plural that names tables, routes and events. */
export interface Kinds {
  readonly hosts: Kind<Host>;
  readonly host_classes: Kind<HostClass>;
  readonly cluster_templates: Kind<ClusterTemplate>;
  readonly clusters: Kind<Cluster>;
  readonly hubs: Kind<Hub>;
  readonly host_pools: Kind<HostPool>;
}

export function createKinds(keys: Sealer): Kinds {
  return {
    hosts: {
      name: 'hosts',
      store: new ObjectStore(hostType, keys),
      rules: hostRules,
      clusterOf: (host) => host.status?.cluster ?? '',
      complete: completeHosts,
      unfilterable: ['status.source.last_seen'],
    },
    host_classes: { name: 'host_classes', store: new ObjectStore(hostClassType, keys), rules: hostClassRules },
    cluster_templates: { name: 'cluster_templates', store: new ObjectStore(clusterTemplateType, keys), rules: clusterTemplateRules },
    clusters: { name: 'clusters', store: new ObjectStore(clusterType, keys), rules: clusterRules },
    hubs: { name: 'hubs', store: new ObjectStore(hubType, keys), rules: hubRules },
    host_pools: { name: 'host_pools', store: new ObjectStore(hostPoolType, keys), rules: hostPoolRules },
  };
}
