import { countsOnNode, podRequests } from '@quartermaster/kube';
import type { Affinity, PodAffinityTerm, Toleration, TopologySpreadConstraint } from '@quartermaster/kube/shapes';
import type { Labels } from '../label-selector.ts';
import type { PodFields } from '../pod-fields.ts';

export interface HostPort {
  readonly port: number;
  readonly protocol: string;
  readonly ip: string;
}

/** What scheduling reads of a pod. */
export interface PodView {
  readonly namespace: string;
  readonly name: string;
  readonly labels: Labels;
  /** Empty until the pod is bound. */
  readonly nodeName: string;
  /** Takes room on its node. */
  readonly counts: boolean;
  /** Waits for this scheduler. */
  readonly isPending: boolean;
  /** resource -> amount: cpu in millicores, everything else in its own unit */
  readonly requests: ReadonlyMap<string, number>;
  readonly tolerations: readonly Toleration[];
  readonly nodeSelector: Labels;
  readonly affinity: Affinity | undefined;
  readonly hostPorts: readonly HostPort[];
  readonly spread: readonly TopologySpreadConstraint[];
  readonly priority: number;
  readonly priorityClass: string;
  /** Whether others may have to go for its sake. */
  readonly preempts: boolean;
  /** Told to go. */
  readonly isLeaving: boolean;
  /** Names of the claims in its own namespace. */
  readonly claims: readonly string[];
  /** The message of its PodScheduled=False condition. */
  readonly refusal: string | undefined;
}

const noLabels: Labels = {};
const none: readonly never[] = [];

export function viewPod(pod: PodFields, schedulerName = 'default-scheduler'): PodView {
  const { metadata, spec, status } = pod;
  const nodeName = spec?.nodeName ?? '';
  const isOver = status?.phase === 'Succeeded' || status?.phase === 'Failed';
  return {
    namespace: metadata?.namespace ?? '',
    name: metadata?.name ?? '',
    labels: metadata?.labels ?? noLabels,
    nodeName,
    counts: countsOnNode(pod),
    isPending:
      nodeName === '' &&
      !isOver &&
      metadata?.deletionTimestamp === undefined &&
      (spec?.schedulerName ?? 'default-scheduler') === schedulerName &&
      (spec?.schedulingGates ?? []).length === 0,
    requests: requestsOf(pod),
    tolerations: spec?.tolerations ?? none,
    // Once it is bound, a pod's own wishes matter no more, except that it keeps others away.
    nodeSelector: nodeName === '' ? (spec?.nodeSelector ?? noLabels) : noLabels,
    affinity: spec?.affinity,
    hostPorts: (spec?.containers ?? []).flatMap(({ ports = [] }) =>
      ports.flatMap(({ hostPort, protocol = 'TCP', hostIP = '0.0.0.0' }) =>
        hostPort === undefined || hostPort === 0 ? [] : [{ port: hostPort, protocol, ip: hostIP }],
      ),
    ),
    spread: nodeName === '' ? (spec?.topologySpreadConstraints ?? none) : none,
    priority: spec?.priority ?? 0,
    priorityClass: spec?.priorityClassName ?? '',
    preempts: spec?.preemptionPolicy !== 'Never',
    isLeaving: metadata?.deletionTimestamp !== undefined,
    claims:
      nodeName === ''
        ? (spec?.volumes ?? []).flatMap(({ persistentVolumeClaim }) =>
            persistentVolumeClaim === undefined ? [] : [persistentVolumeClaim.claimName],
          )
        : none,
    refusal: status?.conditions?.find(({ type, status: value }) => type === 'PodScheduled' && value === 'False')?.message,
  };
}

function requestsOf(pod: PodFields): ReadonlyMap<string, number> {
  const { cpuMillis, memoryBytes, ephemeralStorageBytes, extended } = podRequests(pod);
  const requests = new Map<string, number>();
  if (cpuMillis > 0) requests.set('cpu', cpuMillis);
  if (memoryBytes > 0) requests.set('memory', memoryBytes);
  if (ephemeralStorageBytes > 0) requests.set('ephemeral-storage', ephemeralStorageBytes);
  for (const [resource, amount] of extended) if (amount > 0) requests.set(resource, amount);
  return requests;
}

export const requiredAntiAffinity = ({ affinity }: PodView): readonly PodAffinityTerm[] =>
  affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? none;

export const requiredAffinity = ({ affinity }: PodView): readonly PodAffinityTerm[] =>
  affinity?.podAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? none;
