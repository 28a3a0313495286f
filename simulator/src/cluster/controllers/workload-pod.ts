import { controllerOf } from '@quartermaster/controller';
import type { Toleration } from '@quartermaster/kube/shapes';
import type { Labels } from '../label-selector.ts';
import type { PodFields } from '../pod-fields.ts';

export interface NamedPort {
  readonly name: string | undefined;
  readonly port: number;
  readonly protocol: string;
}

/** What controllers read of a pod. There may be very many of them. */
export interface WorkloadPod {
  readonly name: string;
  readonly namespace: string;
  readonly uid: string;
  readonly labels: Labels;
  /** uid of the object that manages it. */
  readonly owner: string | undefined;
  readonly ownerKey: string | undefined;
  readonly ownerKind: string | undefined;
  readonly node: string;
  /** The one node that its affinity leaves it, as daemons have it. */
  readonly pinnedTo: string | undefined;
  readonly phase: string;
  readonly isReady: boolean;
  readonly readySinceMs: number;
  readonly isDeleting: boolean;
  readonly createdMs: number;
  readonly podIp: string | undefined;
  readonly ports: readonly NamedPort[];
  readonly tolerations: readonly Toleration[];
}

export function workloadPod(pod: PodFields): WorkloadPod {
  const { metadata, spec, status } = pod;
  const owner = controllerOf(pod);
  const ready = status?.conditions?.find(({ type }) => type === 'Ready');
  const namespace = metadata?.namespace ?? '';
  return {
    name: metadata?.name ?? '',
    namespace,
    uid: metadata?.uid ?? '',
    labels: metadata?.labels ?? {},
    owner: owner?.uid,
    ownerKey: owner === undefined ? undefined : `${namespace}/${owner.name}`,
    ownerKind: owner?.kind,
    node: spec?.nodeName ?? '',
    pinnedTo:
      spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms[0]?.matchFields?.[0]?.values?.[0],
    phase: status?.phase ?? 'Pending',
    isReady: ready?.status === 'True',
    readySinceMs: timeOf(ready?.lastTransitionTime),
    isDeleting: metadata?.deletionTimestamp !== undefined,
    createdMs: timeOf(metadata?.creationTimestamp),
    podIp: status?.podIP,
    ports: (spec?.containers ?? []).flatMap(({ ports = [] }) =>
      ports.map(({ name, containerPort, protocol = 'TCP' }) => ({ name, port: containerPort, protocol })),
    ),
    tolerations: spec?.tolerations ?? [],
  };
}

/** Milliseconds; 0 for none. */
export const timeOf = (timestamp: string | undefined): number => Date.parse(timestamp ?? '') || 0;

/** Neither over nor on its way out. */
export const isActive = ({ phase, isDeleting }: WorkloadPod): boolean => !isDeleting && phase !== 'Succeeded' && phase !== 'Failed';

/** Ready for at least so long. */
export function isAvailable({ isReady, readySinceMs }: WorkloadPod, minReadySeconds: number, nowMs: number): boolean {
  return isReady && (minReadySeconds === 0 || nowMs - readySinceMs >= minReadySeconds * 1000);
}
