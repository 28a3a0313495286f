import { parseQuantity, wholeValue } from '@quartermaster/kernel';
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
import type { ObservedPod } from '../model/observed.ts';
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

const leasePrefix = 'akash.network/lease.';
const none: PodRequests = { cpuMillis: 0, memoryBytes: 0, ephemeralStorageBytes: 0, extended: new Map() };
const noLabels: Readonly<Record<string, string>> = {};

/**
 * What a pod takes and who it belongs to, made of shared values where others have the same. One that takes no room has no node and no requests:
 * it is not worth the memory.
 */
export function observePod(pod: InventoryPod, shared: SharedValues): ObservedPod {
  const takesRoom = countsOnNode(pod);
  const requests = takesRoom ? shared.requests(podRequests(pod)) : none;
  return {
    uid: pod.metadata?.uid ?? '',
    namespace: shared.text(pod.metadata?.namespace ?? ''),
    name: pod.metadata?.name ?? '',
    node: takesRoom ? shared.text(pod.spec?.nodeName ?? '') : '',
    requests,
    createdAt: requests.extended.size === 0 ? 0 : Date.parse(pod.metadata?.creationTimestamp ?? '') || 0,
    ramBytes: takesRoom ? ramOf(pod) : 0,
    leaseLabels: takesRoom ? leaseLabelsOf(pod.metadata?.labels) : noLabels,
  };
}

/** Memory-backed emptyDir volumes with a limit. One without a limit can take any part of the memory that its containers were promised. */
function ramOf(pod: InventoryPod): number {
  let bytes = 0n;
  for (const { emptyDir } of pod.spec?.volumes ?? []) {
    if (emptyDir?.medium !== 'Memory' || emptyDir.sizeLimit === undefined) continue;
    bytes += wholeValue(parseQuantity(emptyDir.sizeLimit));
  }
  return Number(bytes > BigInt(Number.MAX_SAFE_INTEGER) ? BigInt(Number.MAX_SAFE_INTEGER) : bytes);
}

function leaseLabelsOf(labels: Readonly<Record<string, string>> | undefined): Readonly<Record<string, string>> {
  const found = Object.entries(labels ?? noLabels).filter(([key]) => key.startsWith(leasePrefix));
  return found.length === 0 ? noLabels : Object.fromEntries(found);
}
