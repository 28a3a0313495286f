import type { CustomResourceDefinition } from 'kubernetes-types/apiextensions/v1.js';
import type { DaemonSet, Deployment, ReplicaSet, StatefulSet } from 'kubernetes-types/apps/v1.js';
import type { Job } from 'kubernetes-types/batch/v1.js';
import type { Lease } from 'kubernetes-types/coordination/v1.js';
import type {
  ConfigMap,
  Namespace,
  Node,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  Secret,
  Service,
  ServiceAccount,
} from 'kubernetes-types/core/v1.js';
import type { Event } from 'kubernetes-types/events/v1.js';
import type { ClusterRole, ClusterRoleBinding, Role, RoleBinding } from 'kubernetes-types/rbac/v1.js';
import type { StorageClass } from 'kubernetes-types/storage/v1.js';
import { type KubeObject, type ResourceType, resourceType } from './objects.ts';

type Scope = 'namespaced' | 'cluster';

function kind<T extends KubeObject>(group: string, version: string, name: string, plural: string, scope: Scope): ResourceType<T> {
  return resourceType<T>({ group, version, kind: name, plural, namespaced: scope === 'namespaced' });
}

/** Built-in kinds by their plural. Kinds of CRDs are declared by whoever owns them, with `resourceType`. */
export const kinds = {
  clusterRoleBindings: kind<ClusterRoleBinding>('rbac.authorization.k8s.io', 'v1', 'ClusterRoleBinding', 'clusterrolebindings', 'cluster'),
  clusterRoles: kind<ClusterRole>('rbac.authorization.k8s.io', 'v1', 'ClusterRole', 'clusterroles', 'cluster'),
  configMaps: kind<ConfigMap>('', 'v1', 'ConfigMap', 'configmaps', 'namespaced'),
  customResourceDefinitions: kind<CustomResourceDefinition>(
    'apiextensions.k8s.io',
    'v1',
    'CustomResourceDefinition',
    'customresourcedefinitions',
    'cluster',
  ),
  daemonSets: kind<DaemonSet>('apps', 'v1', 'DaemonSet', 'daemonsets', 'namespaced'),
  deployments: kind<Deployment>('apps', 'v1', 'Deployment', 'deployments', 'namespaced'),
  events: kind<Event>('events.k8s.io', 'v1', 'Event', 'events', 'namespaced'),
  jobs: kind<Job>('batch', 'v1', 'Job', 'jobs', 'namespaced'),
  leases: kind<Lease>('coordination.k8s.io', 'v1', 'Lease', 'leases', 'namespaced'),
  namespaces: kind<Namespace>('', 'v1', 'Namespace', 'namespaces', 'cluster'),
  nodes: kind<Node>('', 'v1', 'Node', 'nodes', 'cluster'),
  persistentVolumeClaims: kind<PersistentVolumeClaim>('', 'v1', 'PersistentVolumeClaim', 'persistentvolumeclaims', 'namespaced'),
  persistentVolumes: kind<PersistentVolume>('', 'v1', 'PersistentVolume', 'persistentvolumes', 'cluster'),
  pods: kind<Pod>('', 'v1', 'Pod', 'pods', 'namespaced'),
  replicaSets: kind<ReplicaSet>('apps', 'v1', 'ReplicaSet', 'replicasets', 'namespaced'),
  roleBindings: kind<RoleBinding>('rbac.authorization.k8s.io', 'v1', 'RoleBinding', 'rolebindings', 'namespaced'),
  roles: kind<Role>('rbac.authorization.k8s.io', 'v1', 'Role', 'roles', 'namespaced'),
  secrets: kind<Secret>('', 'v1', 'Secret', 'secrets', 'namespaced'),
  serviceAccounts: kind<ServiceAccount>('', 'v1', 'ServiceAccount', 'serviceaccounts', 'namespaced'),
  services: kind<Service>('', 'v1', 'Service', 'services', 'namespaced'),
  statefulSets: kind<StatefulSet>('apps', 'v1', 'StatefulSet', 'statefulsets', 'namespaced'),
  storageClasses: kind<StorageClass>('storage.k8s.io', 'v1', 'StorageClass', 'storageclasses', 'cluster'),
} as const;
