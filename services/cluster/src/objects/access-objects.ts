import type { ManifestService, Permission } from '@quartermaster/api/lease-manifest';
import { kinds } from '@quartermaster/kube';
import type { PolicyRule } from '@quartermaster/kube/shapes';
import type { DesiredObject, LeaseContent } from './desired.ts';
import { desiredObject } from './desired-object.ts';
import { objectMeta } from './object-labels.ts';

const read = ['get', 'list', 'watch'];
const workloads: PolicyRule = { apiGroups: ['apps'], resources: ['deployments', 'statefulsets'], verbs: read };

const rulesOf: Readonly<Record<Permission, readonly PolicyRule[]>> = {
  logs: [{ apiGroups: [''], resources: ['pods'], verbs: read }, { apiGroups: [''], resources: ['pods/log'], verbs: ['get'] }, workloads],
  events: [{ apiGroups: ['', 'events.k8s.io'], resources: ['events'], verbs: read }],
  deployment: [workloads],
};

/** Every service has an account of its own; one that may read something of its lease gets that right, and no other. */
export function accessObjects(content: LeaseContent, { name, permissions }: ManifestService): readonly DesiredObject[] {
  const metadata = objectMeta(content, name, name);
  const account = desiredObject(kinds.serviceAccounts, { metadata, automountServiceAccountToken: false });
  // In the order of the table, each rule once: how a manifest spells its permissions changes nothing.
  const given = (Object.keys(rulesOf) as Permission[]).filter((each) => permissions.includes(each));
  if (given.length === 0) return [account];
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name };
  const subjects = [{ kind: 'ServiceAccount', name, namespace: content.namespace }];
  return [
    account,
    desiredObject(kinds.roles, { metadata, rules: [...new Set(given.flatMap((each) => rulesOf[each]))] }),
    desiredObject(kinds.roleBindings, { metadata, roleRef, subjects }),
  ];
}
