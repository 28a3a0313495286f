import { countedPodFields, type FieldSelection, podRequests, type Selected } from '@quartermaster/kube';
import type { ContainerStatus, Pod } from '@quartermaster/kube/shapes';
import { cardResources } from '../knowledge/akash-figures.ts';
import { placementGate, serviceLabel, unitLabel } from '../model/lease-labels.ts';
import type { SeenLeasePod } from './lease-health.ts';

const endFields = { reason: true, exitCode: true, message: true } as const;

/** What `seenLeasePod` reads. */
export const leasePodFields = {
  metadata: { labels: true, creationTimestamp: true, deletionTimestamp: true },
  spec: {
    ...countedPodFields.spec,
    schedulingGates: { name: true },
    affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: { matchFields: true } } } },
    volumes: { persistentVolumeClaim: { claimName: true } },
  },
  status: {
    ...countedPodFields.status,
    conditions: { type: true, status: true, reason: true, message: true },
    reason: true,
    message: true,
    containerStatuses: {
      ...countedPodFields.status.containerStatuses,
      ready: true,
      restartCount: true,
      state: { waiting: { reason: true, message: true }, terminated: endFields },
      lastState: { terminated: endFields },
    },
  },
} as const satisfies FieldSelection<Pod>;

interface Identified {
  readonly metadata: { readonly name: true; readonly uid: true };
}
type SelectedPod = Selected<Pod, typeof leasePodFields & Identified>;
type SelectedStatus = Selected<ContainerStatus, (typeof leasePodFields)['status']['containerStatuses']>;

export function seenLeasePod(pod: SelectedPod): SeenLeasePod {
  const { name = '', uid = '', labels = {}, creationTimestamp, deletionTimestamp } = pod.metadata ?? {};
  const { spec, status } = pod;
  const conditions = status?.conditions ?? [];
  const scheduled = conditions.find(({ type }) => type === 'PodScheduled');
  const statuses = status?.containerStatuses ?? [];
  const container = statuses.find(({ ready }) => !ready) ?? statuses[0];
  const waiting = container?.state?.waiting;
  return {
    name,
    uid,
    service: labels[serviceLabel] ?? '',
    node: spec?.nodeName ?? '',
    assignedTo: assignedNode(pod),
    unit: unitOf(labels[unitLabel]),
    isGated: (spec?.schedulingGates ?? []).some((gate) => gate.name === placementGate),
    isDeleting: deletionTimestamp !== undefined,
    phase: status?.phase ?? '',
    isReady: conditions.some((condition) => condition.type === 'Ready' && condition.status === 'True'),
    restarts: container?.restartCount ?? 0,
    createdAt: creationTimestamp === undefined ? 0 : Date.parse(creationTimestamp),
    reason: status?.reason ?? '',
    message: status?.message ?? '',
    unschedulable:
      scheduled?.status === 'False' && scheduled.reason === 'Unschedulable' ? scheduled.message || 'the scheduler does not say why' : '',
    waiting: waiting && { reason: waiting.reason ?? '', message: waiting.message ?? '' },
    lastEnd: lastEnd(container),
    claims: (spec?.volumes ?? []).flatMap(({ persistentVolumeClaim }) => persistentVolumeClaim?.claimName ?? []),
    gpus: [...podRequests(pod).extended].reduce((sum, [resource, pieces]) => sum + (cardResources.has(resource) ? pieces : 0), 0),
  };
}

const unitOf = (label = ''): number | undefined => (/^\d{1,9}$/.test(label) ? Number(label) : undefined);

/** The one node that its own affinity allows. Terms are alternatives: one that names no node allows others. */
function assignedNode({ spec }: SelectedPod): string {
  const terms = spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
  const nodes = terms.map(
    ({ matchFields = [] }) => matchFields.find(({ key, operator }) => key === 'metadata.name' && operator === 'In')?.values ?? [],
  );
  const [node = '', ...others] = new Set(nodes.flat());
  return others.length === 0 && nodes.every(({ length }) => length > 0) ? node : '';
}

function lastEnd(container: SelectedStatus | undefined): SeenLeasePod['lastEnd'] {
  const end = container?.state?.terminated ?? container?.lastState?.terminated;
  return end && { reason: end.reason ?? '', exitCode: end.exitCode, message: end.message ?? '' };
}
