import type { ReadableCache } from '@quartermaster/kube';
import type { NodeSelectorTerm, PersistentVolume, PersistentVolumeClaim, StorageClass } from '@quartermaster/kube/shapes';
import { matchesNodeTerms } from '../pods/label-selector.ts';
import type { WorkloadPod } from '../pods/workload-pod.ts';
import type { NodeRoom } from './node-room.ts';

export const selectedNodeAnnotation = 'volume.kubernetes.io/selected-node';

export interface ClaimView {
  readonly volumeName: string | undefined;
  readonly className: string | undefined;
  readonly selectedNode: string | undefined;
}

export interface VolumeCaches {
  readonly claims: ReadableCache<ClaimView>;
  /** volume -> where it can be used; undefined means everywhere */
  readonly volumes: ReadableCache<readonly NodeSelectorTerm[] | undefined>;
  /** class -> whether it waits for the first pod */
  readonly classes: ReadableCache<boolean>;
}

export type VolumeRules =
  | { readonly kind: 'refused'; readonly message: string }
  | {
      readonly kind: 'allowed';
      /** Claims that get their volume once a node is chosen. */
      readonly waiting: readonly string[];
      readonly refuses: (room: NodeRoom) => string | undefined;
    };

/** What the pod's claims say about where it can go. */
export function volumeRules(pod: WorkloadPod, caches: VolumeCaches): VolumeRules {
  const terms: (readonly NodeSelectorTerm[])[] = [];
  const waiting: string[] = [];
  let selectedNode: string | undefined;
  for (const name of pod.claims) {
    const claim = caches.claims.get(`${pod.namespace}/${name}`)?.value;
    if (claim === undefined) return { kind: 'refused', message: `persistentvolumeclaim "${name}" not found` };
    if (claim.volumeName !== undefined) {
      const allowed = caches.volumes.get(claim.volumeName)?.value;
      if (allowed !== undefined) terms.push(allowed);
    } else if (caches.classes.get(claim.className ?? '')?.value === true) {
      waiting.push(name);
      selectedNode ??= claim.selectedNode;
    } else return { kind: 'refused', message: 'pod has unbound immediate PersistentVolumeClaims' };
  }
  return {
    kind: 'allowed',
    waiting,
    refuses: ({ view: { labels, name } }) => {
      if (selectedNode !== undefined && selectedNode !== name) return "node(s) didn't find available persistent volumes to bind";
      return terms.every((each) => matchesNodeTerms(each, labels, name))
        ? undefined
        : "node(s) didn't match PersistentVolume's node affinity";
    },
  };
}

export const viewClaim = ({ metadata, spec }: PersistentVolumeClaim): ClaimView => ({
  volumeName: spec?.volumeName === '' ? undefined : spec?.volumeName,
  className: spec?.storageClassName,
  selectedNode: metadata?.annotations?.[selectedNodeAnnotation],
});

export const viewVolume = ({ spec }: PersistentVolume): readonly NodeSelectorTerm[] | undefined =>
  spec?.nodeAffinity?.required?.nodeSelectorTerms;

export const viewClass = ({ volumeBindingMode }: StorageClass): boolean => volumeBindingMode === 'WaitForFirstConsumer';
