import { parseQuantity, StatusError, wholeValue } from '@quartermaster/kernel';
import {
  type CountedPod,
  countedPodFields,
  countsOnNode,
  type FieldSelection,
  type KubeObject,
  kinds,
  type PodRequests,
  podRequests,
  resourceType,
} from '@quartermaster/kube';
import { knownTime } from '../model/known-time.ts';
import type { ObservedPod } from '../model/observed.ts';
import { both, fields, listOf, mapOf, required, shaped, text } from './shape.ts';
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
  metadata: { labels: true, creationTimestamp: true },
  spec: { ...countedPodFields.spec, volumes: { emptyDir: { medium: true, sizeLimit: true } } },
  status: countedPodFields.status,
} as const satisfies FieldSelection<InventoryPod>;

const requested = fields({ requests: mapOf(text) });
const containers = listOf(both(required({ name: text }), fields({ restartPolicy: text, resources: requested })));
const statuses = listOf(both(required({ name: text }), fields({ allocatedResources: mapOf(text), resources: requested })));
const podShape = both(
  required({ metadata: required({ uid: text, name: text }) }),
  fields({
    metadata: fields({ labels: mapOf(text), creationTimestamp: text }),
    spec: fields({
      nodeName: text,
      containers,
      initContainers: containers,
      overhead: mapOf(text),
      resources: requested,
      volumes: listOf(fields({ emptyDir: fields({ medium: text, sizeLimit: text }) })),
    }),
    status: fields({
      phase: text,
      conditions: listOf(fields({ type: text, reason: text })),
      containerStatuses: statuses,
      initContainerStatuses: statuses,
      allocatedResources: mapOf(text),
      resources: requested,
    }),
  }),
);

const leasePrefix = 'akash.network/lease.';
const none: PodRequests = { cpuMillis: 0, memoryBytes: 0, ephemeralStorageBytes: 0, extended: new Map() };
const noLabels: Readonly<Record<string, string>> = {};

/**
 * What a pod takes and who it belongs to, made of shared values where others have the same. One that takes no room has no node and no requests:
 * it is not worth the memory.
 */
export function observePod(pod: InventoryPod, shared: SharedValues): ObservedPod {
  return observed(pod)(shared);
}

const observed = shaped(podShape, (pod: InventoryPod) => (shared: SharedValues): ObservedPod => {
  const takesRoom = countsOnNode(pod);
  const requests = takesRoom ? shared.requests(notNegative(podRequests(pod))) : none;
  return {
    uid: pod.metadata?.uid ?? '',
    namespace: shared.text(pod.metadata?.namespace ?? ''),
    name: pod.metadata?.name ?? '',
    node: takesRoom ? shared.text(pod.spec?.nodeName ?? '') : '',
    requests,
    createdAt: requests.extended.size === 0 ? 0 : (knownTime(pod.metadata?.creationTimestamp) ?? 0),
    ramBytes: takesRoom ? ramOf(pod) : 0,
    leaseLabels: takesRoom ? leaseLabelsOf(pod.metadata?.labels) : noLabels,
  };
});

function notNegative(of: PodRequests): PodRequests {
  const least = Math.min(of.cpuMillis, of.memoryBytes, of.ephemeralStorageBytes, ...of.extended.values());
  if (least < 0) throw new StatusError('invalid_argument', 'the requests add up to less than nothing');
  return of;
}

/** Memory-backed emptyDir volumes with a limit. One without a limit can take any part of the memory that its containers were promised. */
function ramOf(pod: InventoryPod): number {
  let bytes = 0n;
  for (const { emptyDir } of pod.spec?.volumes ?? []) {
    if (emptyDir?.medium !== 'Memory' || !emptyDir.sizeLimit) continue;
    bytes += wholeValue(parseQuantity(emptyDir.sizeLimit));
  }
  if (bytes < 0n) throw new StatusError('invalid_argument', 'the limits of emptyDir volumes add up to less than nothing');
  return Number(bytes > BigInt(Number.MAX_SAFE_INTEGER) ? BigInt(Number.MAX_SAFE_INTEGER) : bytes);
}

function leaseLabelsOf(labels: Readonly<Record<string, string>> | undefined): Readonly<Record<string, string>> {
  const found = Object.entries(labels ?? noLabels).filter(([key]) => key.startsWith(leasePrefix));
  return found.length === 0 ? noLabels : Object.fromEntries(found);
}
