import { controllerOf } from '@quartermaster/controller';
import { countsOnNode, podRequests } from '@quartermaster/kube';
import type { Affinity, Toleration } from '@quartermaster/kube/shapes';
import type { Labels } from './label-selector.ts';
import type { PodFields } from './pod-fields.ts';

/** What controllers and the scheduler read of a pod. There may be very many of them. */
export interface WorkloadPod {
  readonly name: string;
  readonly namespace: string;
  readonly uid: string;
  readonly labels: Labels;
  /** uid of the object that manages it. */
  readonly owner: string | undefined;
  readonly ownerKey: string | undefined;
  readonly ownerKind: string | undefined;
  /** Empty until the pod is bound. */
  readonly nodeName: string;
  /** The one node that its affinity leaves it, as daemons have it. */
  readonly pinnedTo: string | undefined;
  readonly phase: string;
  readonly isReady: boolean;
  readonly isDeleting: boolean;
  readonly createdMs: number;
  readonly podIp: string | undefined;
  readonly ports: readonly { readonly name: string | undefined; readonly port: number }[];
  readonly tolerations: readonly Toleration[];
  /** Takes room on its node. */
  readonly counts: boolean;
  /** Waits for our scheduler. */
  readonly isPending: boolean;
  /** resource -> amount: cpu in millicores, everything else in its own unit */
  readonly requests: ReadonlyMap<string, number>;
  /** These three are of pods that are not bound: once it is, a pod's own wishes matter no more. */
  readonly nodeSelector: Labels;
  readonly affinity: Affinity | undefined;
  readonly claims: readonly string[];
  /** The message of its PodScheduled=False condition. */
  readonly refusal: string | undefined;
}

const noLabels: Labels = {};
const none: readonly never[] = [];
const ourScheduler = 'default-scheduler';

export function workloadPod(pod: PodFields): WorkloadPod {
  const { metadata, spec, status } = pod;
  const owner = controllerOf(pod);
  const { namespace = '', name = '', uid = '', labels = noLabels, creationTimestamp, deletionTimestamp } = metadata ?? {};
  const { nodeName = '', schedulerName = ourScheduler, schedulingGates = none, tolerations = none, affinity, volumes = none } = spec ?? {};
  const { phase = 'Pending', conditions = none, podIP } = status ?? {};
  const isUnbound = nodeName === '';
  const isDeleting = deletionTimestamp !== undefined;
  const required = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  return {
    name,
    namespace,
    uid,
    labels,
    owner: owner?.uid,
    ownerKey: owner === undefined ? undefined : `${namespace}/${owner.name}`,
    ownerKind: owner?.kind,
    nodeName,
    pinnedTo: required?.nodeSelectorTerms[0]?.matchFields?.[0]?.values?.[0],
    phase,
    isReady: conditions.some(({ type, status: is }) => type === 'Ready' && is === 'True'),
    isDeleting,
    createdMs: timeOf(creationTimestamp),
    podIp: podIP,
    ports: (spec?.containers ?? []).flatMap(({ ports = [] }) => ports.map((port) => ({ name: port.name, port: port.containerPort }))),
    tolerations,
    counts: countsOnNode(pod),
    isPending: isUnbound && !isOver(phase) && !isDeleting && schedulerName === ourScheduler && schedulingGates.length === 0,
    requests: requestsOf(pod),
    nodeSelector: isUnbound ? (spec?.nodeSelector ?? noLabels) : noLabels,
    affinity: isUnbound ? affinity : undefined,
    claims: isUnbound ? volumes.flatMap(({ persistentVolumeClaim: claim }) => (claim === undefined ? [] : [claim.claimName])) : none,
    refusal: conditions.find(({ type, status: is }) => type === 'PodScheduled' && is === 'False')?.message,
  };
}

/** Milliseconds; 0 for none. */
export const timeOf = (timestamp: string | undefined): number => Date.parse(timestamp ?? '') || 0;

const isOver = (phase: string): boolean => phase === 'Succeeded' || phase === 'Failed';

/** Neither over nor on its way out. */
export const isActive = ({ phase, isDeleting }: WorkloadPod): boolean => !isDeleting && !isOver(phase);

function requestsOf(pod: PodFields): ReadonlyMap<string, number> {
  const { cpuMillis, memoryBytes, ephemeralStorageBytes, extended } = podRequests(pod);
  const all = [['cpu', cpuMillis], ['memory', memoryBytes], ['ephemeral-storage', ephemeralStorageBytes], ...extended] as const;
  return new Map(all.filter(([, amount]) => amount > 0));
}
