import { type KubeClient, kinds, openExec } from '@quartermaster/kube';

/** Has to be there. */
export const secretOfOthers = { namespace: 'kube-system', name: 'canary' };

type Refused = readonly [what: string, attempt: () => Promise<unknown>];

/** Writes that RBAC allows the cluster service and its policy does not, in their order, each with how the policy calls it. */
export function refusedWrites(service: KubeClient, admin: KubeClient, manifestNamespace: string): readonly Refused[] {
  const mine = (namespace: string) => ({ metadata: { namespace, name: 'mine' } });
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'quartermaster-cluster-market' };
  const subjects = [{ kind: 'ServiceAccount', namespace: 'default', name: 'default' }];
  const template = { metadata: { labels: { app: 'mine' } }, spec: { containers: [{ name: 'main', image: 'nginx:1' }] } };
  const workload = { ...mine('default'), spec: { selector: { matchLabels: { app: 'mine' } }, template } };
  const name = 'lease-tried';
  const enforcing = (level: string) => ({ metadata: { name, labels: { 'pod-security.kubernetes.io/enforce': level } } });
  const loosened = async (): Promise<void> => {
    await service.create(kinds.namespaces, enforcing('baseline'));
    await service.patch(kinds.namespaces, { name }, { kind: 'merge', body: enforcing('privileged') });
  };
  const labelled = (labels: Readonly<Record<string, string>>) => ({ kind: 'merge', body: { metadata: { labels } } }) as const;
  const adminAccess = { 'resource.kubernetes.io/admin-access': 'true' };
  const claimed = async (): Promise<void> => {
    // Without it the API server refuses the template before it asks the policy.
    await admin.patch(kinds.namespaces, { name }, labelled(adminAccess));
    const exactly = { deviceClassName: 'gpu.nvidia.com', allocationMode: 'All', adminAccess: true };
    const spec = { spec: { devices: { requests: [{ name: 'all', exactly }] } } };
    await service.create(kinds.resourceClaimTemplates, { ...mine(name), spec });
  };
  const signal = AbortSignal.timeout(60_000);
  const shell = () => openExec(service, { namespace: 'default', name: 'mine' }, { command: ['sh'], tty: false, stdin: false, signal });
  const caught = { ports: [{ port: 443 }], externalIPs: ['198.51.100.7'] };
  return [
    ['secrets in "kube-system"', () => service.create(kinds.secrets, mine('kube-system'))],
    // It would answer with the whole Secret.
    ['secrets in "kube-system"', () => service.patch(kinds.secrets, secretOfOthers, { kind: 'merge', body: {} })],
    ['secrets in "kube-system"', () => service.delete(kinds.secrets, secretOfOthers)],
    ['deployments in "default"', () => service.create(kinds.deployments, workload)],
    ['rolebindings in "default"', () => service.create(kinds.roleBindings, { ...mine('default'), roleRef, subjects })],
    ['configmaps in "kube-system"', () => service.create(kinds.configMaps, mine('kube-system'))],
    ['pods in "default"', shell],
    [`serviceaccounts in "${manifestNamespace}"`, () => service.create(kinds.serviceAccounts, mine(manifestNamespace))],
    [`namespaces in "${manifestNamespace}"`, () => service.delete(kinds.namespaces, { name: manifestNamespace })],
    ['namespaces in "other"', () => service.create(kinds.namespaces, { metadata: { name: 'other' } })],
    [`the namespace "${name}" with Pod Security "privileged"`, () => service.create(kinds.namespaces, enforcing('privileged'))],
    [`the namespace "${name}" with Pod Security ""`, () => service.create(kinds.namespaces, { metadata: { name } })],
    [`the namespace "${name}" with Pod Security "privileged"`, loosened],
    // What an old version calls baseline may be less than what is meant.
    [
      `the namespace "${name}" with Pod Security of version "v1.20"`,
      () => service.patch(kinds.namespaces, { name }, labelled({ 'pod-security.kubernetes.io/enforce-version': 'v1.20' })),
    ],
    [
      `the namespace "${name}" with the label resource.kubernetes.io/admin-access`,
      () => service.patch(kinds.namespaces, { name }, labelled(adminAccess)),
    ],
    // It would have the traffic of others to that address.
    [`services with external IPs in "${name}"`, () => service.create(kinds.services, { ...mine(name), spec: caught })],
    // It would have devices that are in use by others.
    [`resourceclaimtemplates with admin access in "${name}"`, claimed],
  ];
}
