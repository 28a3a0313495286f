import { type ObjectMeta, StatusError } from '@quartermaster/kernel';
import {
  type CountedPod,
  countedPodFields,
  countsOnNode,
  type FieldSelection,
  type KubeObject,
  kinds,
  type PodRequests,
  podRequests,
  ramBesideRequests,
  ramInRequestsAnnotation,
  resourceType,
} from '@quartermaster/kube';
import { knownTime } from '../model/known-time.ts';
import { isLeaseLabel } from '../model/lease-labels.ts';
import type { ObservedPod } from '../model/observed.ts';
import { listOf, mapOf, object, optional, type ShapedProjection, shaped, text } from './shape.ts';
import type { SharedValues } from './shared-values.ts';

/** The parts of a pod that the inventory reads. */
export interface InventoryPod extends KubeObject {
  readonly spec?: CountedPod['spec'] & {
    readonly volumes?: readonly { readonly emptyDir?: { readonly medium?: string; readonly sizeLimit?: string } }[];
  };
  readonly status?: CountedPod['status'];
}

export const inventoryPods = resourceType<InventoryPod>({ ...kinds.pods });

export const inventoryPodFields = {
  metadata: { labels: true, annotations: { [ramInRequestsAnnotation]: true }, creationTimestamp: true },
  spec: { ...countedPodFields.spec, volumes: { emptyDir: { medium: true, sizeLimit: true } } },
  status: countedPodFields.status,
} as const satisfies FieldSelection<InventoryPod>;

interface ReadPod extends Pick<InventoryPod, 'spec' | 'status'> {
  readonly metadata: Pick<ObjectMeta, 'namespace' | 'labels' | 'annotations' | 'creationTimestamp'> & {
    readonly uid: string;
    readonly name: string;
  };
}
type PodSpec = NonNullable<InventoryPod['spec']>;
type PodStatus = NonNullable<InventoryPod['status']>;
type Containers = NonNullable<PodSpec['containers']>;
type Statuses = NonNullable<PodStatus['containerStatuses']>;
type Volume = NonNullable<PodSpec['volumes']>[number];

const amounts = optional(mapOf(text));
const requested = optional(object<NonNullable<PodSpec['resources']>>({ requests: amounts }));
const container = object<Containers[number]>({ name: text, restartPolicy: optional(text), resources: requested });
const containers = optional(listOf(container));
const containerStatus = object<Statuses[number]>({ name: text, allocatedResources: amounts, resources: requested });
const statuses = optional(listOf(containerStatus));
const volume = object<Volume>({ emptyDir: optional(object({ medium: optional(text), sizeLimit: optional(text) })) });
const podShape = object<ReadPod>({
  metadata: object<ReadPod['metadata']>({
    uid: text,
    name: text,
    namespace: optional(text),
    labels: optional(mapOf(text)),
    annotations: optional(mapOf(text)),
    creationTimestamp: optional(text),
  }),
  spec: optional(
    object<PodSpec>({
      nodeName: optional(text),
      containers,
      initContainers: containers,
      overhead: amounts,
      resources: requested,
      volumes: optional(listOf(volume)),
    }),
  ),
  status: optional(
    object<PodStatus>({
      phase: optional(text),
      conditions: optional(listOf(object({ type: text, reason: optional(text) }))),
      containerStatuses: statuses,
      initContainerStatuses: statuses,
      allocatedResources: amounts,
      resources: requested,
    }),
  ),
});

const none: PodRequests = { cpuMillis: 0, memoryBytes: 0, ephemeralStorageBytes: 0, extended: new Map() };
const noLabels: Readonly<Record<string, string>> = {};

/**
 * What a pod takes and who it belongs to, made of shared values where others have the same. One that takes no room has no node and no requests:
 * it is not worth the memory.
 */
export function podObserver(shared: SharedValues): ShapedProjection<ObservedPod> {
  return shaped(podShape, (pod) => {
    const { uid, name, namespace, labels, creationTimestamp } = pod.metadata;
    const takesRoom = countsOnNode(pod);
    const requests = takesRoom ? shared.requests(asked(podRequests(pod))) : none;
    return {
      uid,
      namespace: shared.text(namespace ?? ''),
      name,
      node: takesRoom ? shared.text(pod.spec?.nodeName ?? '') : '',
      requests,
      createdAt: requests.extended.size === 0 ? 0 : (knownTime(creationTimestamp) ?? 0),
      ramBytes: takesRoom ? ramBesideRequests(pod, requests.memoryBytes) : 0,
      leaseLabels: takesRoom ? leaseLabelsOf(labels, shared) : noLabels,
    };
  });
}

/**
 * Nothing of a resource is not worth the memory either, and anybody can ask for nothing of as many as a pod has room for. Hardly any pod does: the others cost
 * nothing more, since there are as many as a cluster has.
 */
function asked(of: PodRequests): PodRequests {
  let least = Math.min(of.cpuMillis, of.memoryBytes, of.ephemeralStorageBytes);
  let isAllAsked = true;
  for (const amount of of.extended.values()) {
    least = Math.min(least, amount);
    isAllAsked &&= amount > 0;
  }
  if (least < 0) throw new StatusError('invalid_argument', 'the requests add up to less than nothing');
  return isAllAsked ? of : { ...of, extended: new Map([...of.extended].filter(([, amount]) => amount > 0)) };
}

function leaseLabelsOf(labels: Readonly<Record<string, string>> | undefined, shared: SharedValues): Readonly<Record<string, string>> {
  let found: Record<string, string> | undefined;
  for (const key in labels) if (isLeaseLabel(key)) (found ??= {})[key] = labels[key] ?? '';
  return found === undefined ? noLabels : shared.part(found);
}
