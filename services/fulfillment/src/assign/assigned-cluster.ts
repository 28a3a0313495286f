import { clone, create } from '@bufbuild/protobuf';
import {
  type Cluster,
  ClusterNodeSetSchema,
  ClusterSchema,
  ClusterStatusSchema,
  type Host,
  HostSchema,
  HostStatusSchema,
} from '@quartermaster/api/private';

/** The hosts that a node set has, sorted. */
export function hostsOf(cluster: Cluster, nodeSet: string): readonly string[] {
  return cluster.status?.nodeSets[nodeSet]?.hosts.toSorted() ?? [];
}

/** The cluster with these hosts in the node set, sorted. A node set that has no hosts and is not in the spec any more leaves the status, too. */
export function withNodeSetHosts(cluster: Cluster, nodeSet: string, hosts: readonly string[]): Cluster {
  const result = clone(ClusterSchema, cluster);
  const status = (result.status ??= create(ClusterStatusSchema));
  const spec = result.spec?.nodeSets[nodeSet];
  if (spec === undefined && hosts.length === 0) {
    delete status.nodeSets[nodeSet];
    return result;
  }
  const set = (status.nodeSets[nodeSet] ??= create(ClusterNodeSetSchema, { hostClass: spec?.hostClass ?? '' }));
  set.hosts = [...new Set(hosts)].toSorted();
  set.size = set.hosts.length;
  return result;
}

/** The host, assigned to the cluster; to none when the id is empty. */
export function assignedTo(host: Host, cluster: string): Host {
  const result = clone(HostSchema, host);
  result.status ??= create(HostStatusSchema);
  result.status.cluster = cluster;
  return result;
}
