import type { KubeObject } from '@quartermaster/kube';
import type { Container, DaemonSet, Deployment, NetworkPolicy, PodDisruptionBudget, PodSpec, Service } from '@quartermaster/kube/shapes';

type Labels = Readonly<Record<string, string>>;

export type Workload = Deployment | DaemonSet;

interface Account extends KubeObject {
  readonly automountServiceAccountToken?: boolean;
}

interface Binding extends KubeObject {
  readonly subjects?: readonly { readonly kind: string; readonly name: string }[];
}

export interface WorkloadRuleOptions {
  /** Whether its pods may read what only root may read: the agents of nodes. */
  readonly isPrivileged?: boolean | undefined;
}

export const workloadsOf = (objects: readonly KubeObject[]): Workload[] => ofKind<Workload>(objects, 'Deployment', 'DaemonSet');

export const podOf = (workload: Workload): PodSpec => workload.spec?.template.spec ?? { containers: [] };

/** What the deployment of a role lacks, as sentences; none when it has what every workload of ours must have. */
export function problemsOf(objects: readonly KubeObject[], options: WorkloadRuleOptions = {}): string[] {
  const workloads = workloadsOf(objects);
  const found = workloads.flatMap((workload) =>
    [
      ...selection(objects, workload),
      ...podOf(workload).containers.flatMap(containerProblems),
      ...(options.isPrivileged === true ? [] : confinement(podOf(workload))),
    ].map((problem) => `${workload.kind} ${workload.metadata?.name}: ${problem}`),
  );
  const services = ofKind<Service>(objects, 'Service').flatMap((service) => serviceProblems(service, workloads));
  return [...(workloads.length === 0 ? ['there is no workload'] : []), ...found, ...services];
}

function selection(objects: readonly KubeObject[], { kind, spec }: Workload): string[] {
  const labels = spec?.template.metadata?.labels ?? {};
  const name = spec?.template.spec?.serviceAccountName;
  const account = ofKind<Account>(objects, 'ServiceAccount').find(({ metadata }) => metadata?.name === name);
  const bindings = ofKind<Binding>(objects, 'RoleBinding', 'ClusterRoleBinding');
  const hasRights = bindings.some(({ subjects }) =>
    subjects?.some((subject) => subject.kind === 'ServiceAccount' && subject.name === name),
  );
  const hasToken = spec?.template.spec?.automountServiceAccountToken ?? account?.automountServiceAccountToken ?? true;
  const policies = ofKind<NetworkPolicy>(objects, 'NetworkPolicy').filter((policy) =>
    selects(policy.spec?.podSelector?.matchLabels, labels),
  );
  const budgets = ofKind<PodDisruptionBudget>(objects, 'PodDisruptionBudget');
  const isBudgeted = budgets.some((budget) => selects(budget.spec?.selector?.matchLabels, labels));
  const open = policies.flatMap((policy) => policy.spec?.ingress?.flatMap(({ ports = [] }) => ports.map(({ port }) => String(port))) ?? []);
  const served = portNames(spec?.template.spec);
  return [
    ...when(!selects(spec?.selector.matchLabels, labels), 'its selector does not select its pods'),
    ...when(account === undefined, 'its account is not among the objects'),
    ...when(hasToken && !hasRights, 'mounts a token of its account, which has no rights'),
    ...when(!hasToken && hasRights, 'mounts no token of its account, which has rights'),
    ...when(policies.length === 0, 'no network policy selects its pods'),
    ...when(open.toSorted().join() !== served.toSorted().join(), `its network policy opens ${open.join()}, and it serves ${served.join()}`),
    ...when(kind === 'Deployment' && !isBudgeted, 'no disruption budget selects its pods'),
    ...when(kind === 'Deployment' && !hasReplicas(spec), 'has fewer than two replicas'),
  ];
}

function containerProblems({ name, ports = [], resources, image, ...container }: Container): string[] {
  const probes = { livenessProbe: container.livenessProbe, readinessProbe: container.readinessProbe, startupProbe: container.startupProbe };
  const asked = Object.entries(probes).flatMap(([probe, value]) => (value === undefined ? [] : [{ probe, ...value.httpGet }]));
  return [
    ...(['livenessProbe', 'readinessProbe'] as const).filter((probe) => probes[probe] === undefined).map((probe) => `has no ${probe}`),
    ...asked.filter(({ port }) => !ports.some((each) => each.name === port)).map(({ probe, port }) => `${probe} asks for port ${port}`),
    ...asked.filter(({ scheme }) => scheme !== 'HTTPS').map(({ probe }) => `${probe} asks in plain text`),
    ...when(resources?.requests?.['cpu'] === undefined || resources.requests['memory'] === undefined, 'requests no CPU or memory'),
    ...when(resources?.limits?.['memory'] === undefined, 'has no limit of memory'),
    ...when(container.securityContext?.readOnlyRootFilesystem !== true, 'may write to its root filesystem'),
    ...when(image !== 'quartermaster', `has the image ${image}, which is not replaced`),
  ].map((problem) => `container ${name} ${problem}`);
}

/** As the Pod Security Standard "restricted" wants it; the API server has the last word. */
function confinement({ securityContext, containers, hostNetwork, hostPID, volumes = [] }: PodSpec): string[] {
  const isLoose = containers.some(
    ({ securityContext: own }) => own?.allowPrivilegeEscalation !== false || own.capabilities?.drop?.includes('ALL') !== true,
  );
  return [
    ...when(securityContext?.runAsNonRoot !== true || securityContext.runAsUser === 0, 'may run as root'),
    ...when(securityContext?.seccompProfile?.type !== 'RuntimeDefault', 'has no seccomp profile'),
    ...when(isLoose, 'keeps capabilities or may gain privileges'),
    ...when(hostNetwork === true || hostPID === true || volumes.some(({ hostPath }) => hostPath !== undefined), 'reaches into its node'),
  ];
}

function serviceProblems({ metadata, spec }: Service, workloads: readonly Workload[]): string[] {
  const behind = workloads.filter((workload) => selects(spec?.selector, workload.spec?.template.metadata?.labels ?? {}));
  const names = behind.flatMap((workload) => portNames(podOf(workload)));
  const missing = (spec?.ports ?? []).filter(({ targetPort }) => !names.includes(String(targetPort)));
  return [
    ...when(behind.length !== 1, `selects ${behind.length} workloads`),
    ...missing.map(({ name, targetPort }) => `port ${name} leads to ${targetPort}, which no container has`),
  ].map((problem) => `Service ${metadata?.name}: ${problem}`);
}

const hasReplicas = (spec: Workload['spec']): boolean => spec !== undefined && 'replicas' in spec && (spec.replicas ?? 1) > 1;

const when = (isSo: boolean, problem: string): string[] => (isSo ? [problem] : []);

const portNames = (pod: PodSpec | undefined): string[] =>
  (pod?.containers ?? []).flatMap(({ ports = [] }) => ports.map(({ name = '' }) => name));

function ofKind<T extends KubeObject>(objects: readonly KubeObject[], ...wanted: readonly string[]): T[] {
  return objects.filter(({ kind = '' }) => wanted.includes(kind)) as T[];
}

/** A selector without labels would select everything, which nobody means here. */
function selects(selector: Labels | undefined, labels: Labels): boolean {
  const wanted = Object.entries(selector ?? {});
  return wanted.length > 0 && wanted.every(([key, value]) => labels[key] === value);
}
