import { posix } from 'node:path';
import { type ObjectMeta, StatusError } from '@quartermaster/kernel';
import { type Cache, type CacheOpener, type FieldSelection, kinds, type Selected } from '@quartermaster/kube';
import type {
  NodeSelector,
  NodeSelectorRequirement,
  NodeSelectorTerm,
  PersistentVolume,
  PersistentVolumeClaim,
  StorageClass,
} from '@quartermaster/kube/shapes';
import { knownTime } from '../model/known-time.ts';
import { hasLeaseLabel } from '../model/lease-labels.ts';
import type { StorageClassFacts } from '../model/storage-inventory.ts';
import { anyText, listOf, mapOf, object, optional, shaped, text } from '../observe/shape.ts';
import type { ClaimIdentity } from './lease-volumes.ts';
import { nodeLabel } from './querier/cluster-nodes.ts';
import type { ClaimFacts, VolumeFacts } from './querier/volume-ledger.ts';
import { wholeBytes } from './querier/whole-bytes.ts';

const selectedNodeAnnotation = 'volume.kubernetes.io/selected-node';

const provisionerAnnotation = 'pv.kubernetes.io/provisioned-by';
const annotations = optional(mapOf(text));
/** Whoever may make a claim may ask for anything beside storage. */
const amounts = optional(mapOf(anyText));

interface ReadClass extends Pick<StorageClass, 'provisioner' | 'parameters'> {
  readonly metadata?: Pick<ObjectMeta, 'name' | 'labels' | 'annotations'> | undefined;
}
const classShape = object<ReadClass>({
  metadata: optional(object<NonNullable<ReadClass['metadata']>>({ name: optional(text), labels: optional(mapOf(text)), annotations })),
  provisioner: text,
  parameters: optional(mapOf(text)),
});

const volumeFields = {
  metadata: { annotations: true, creationTimestamp: true },
  spec: {
    storageClassName: true,
    capacity: true,
    hostPath: { path: true },
    local: { path: true },
    csi: { driver: true, volumeAttributes: true },
    claimRef: { uid: true },
    nodeAffinity: true,
  },
} as const satisfies FieldSelection<PersistentVolume>;
type ReadVolume = Selected<PersistentVolume, typeof volumeFields>;
const requirements = optional(listOf(object<NodeSelectorRequirement>({ key: text, operator: text, values: optional(listOf(text)) })));
const selectorTerm = object<NodeSelectorTerm>({ matchExpressions: requirements, matchFields: requirements });
const nodeSelector = object<NodeSelector>({ nodeSelectorTerms: listOf(selectorTerm) });
const volumeShape = object<ReadVolume>({
  metadata: optional(object({ annotations, creationTimestamp: optional(text) })),
  spec: optional(
    object<NonNullable<ReadVolume['spec']>>({
      storageClassName: optional(text),
      capacity: amounts,
      hostPath: optional(object({ path: text })),
      local: optional(object({ path: text })),
      csi: optional(object({ driver: text, volumeAttributes: optional(mapOf(text)) })),
      claimRef: optional(object({ uid: optional(text) })),
      nodeAffinity: optional(object({ required: optional(nodeSelector) })),
    }),
  ),
});

const claimFields = {
  metadata: { name: true, namespace: true, labels: true, annotations: true, deletionTimestamp: true },
  spec: { storageClassName: true, volumeName: true, resources: { requests: true } },
} as const satisfies FieldSelection<PersistentVolumeClaim>;
type ReadClaim = Selected<PersistentVolumeClaim, typeof claimFields>;
const claimShape = object<ReadClaim>({
  metadata: optional(
    object<NonNullable<ReadClaim['metadata']>>({
      name: optional(text),
      namespace: optional(text),
      labels: optional(mapOf(text)),
      annotations,
      deletionTimestamp: optional(text),
    }),
  ),
  spec: optional(
    object<NonNullable<ReadClaim['spec']>>({
      storageClassName: optional(text),
      volumeName: optional(text),
      resources: optional(object({ requests: amounts })),
    }),
  ),
});

export interface ObservedClaim extends ClaimFacts, ClaimIdentity {}

/** The built-in objects from which classes and promises are read. */
export interface ObservedStorage {
  readonly classes: Cache<StorageClassFacts>;
  readonly volumes: Cache<VolumeFacts>;
  readonly claims: Cache<ObservedClaim>;
}

export function observeStorage(caches: CacheOpener): ObservedStorage {
  return {
    classes: caches.open({
      name: 'storage-classes',
      type: kinds.storageClasses,
      fields: {
        metadata: { name: true, labels: true, annotations: true },
        provisioner: true,
        parameters: true,
      },
      project: shaped(
        classShape,
        ({ metadata, provisioner, parameters }): StorageClassFacts => ({
          name: metadata?.name ?? '',
          provisioner,
          parameters: parameters ?? {},
          labels: metadata?.labels ?? {},
          annotations: metadata?.annotations ?? {},
        }),
      ),
    }),
    volumes: caches.open({
      name: 'persistent-volumes',
      type: kinds.persistentVolumes,
      fields: volumeFields,
      project: shaped(
        volumeShape,
        ({ metadata, spec }): VolumeFacts => ({
          class: spec?.storageClassName ?? '',
          bytes: storageOf('spec.capacity', spec?.capacity),
          driver: spec?.csi?.driver ?? '',
          attributes: spec?.csi?.volumeAttributes ?? {},
          node: onlyNodeOf(spec?.nodeAffinity?.required?.nodeSelectorTerms ?? []),
          claimUid: spec?.claimRef?.uid,
          provisioner: metadata?.annotations?.[provisionerAnnotation],
          folder: folderOf(spec?.local?.path ?? spec?.hostPath?.path),
          createdAt: knownTime(metadata?.creationTimestamp),
        }),
      ),
    }),
    claims: caches.open({
      name: 'persistent-volume-claims',
      type: kinds.persistentVolumeClaims,
      fields: claimFields,
      project: shaped(
        claimShape,
        ({ metadata, spec }): ObservedClaim => ({
          namespace: metadata?.namespace ?? '',
          name: metadata?.name ?? '',
          isOfLease: hasLeaseLabel(metadata?.labels),
          class: spec?.storageClassName ?? '',
          bytes: storageOf('spec.resources.requests', spec?.resources?.requests),
          volumeName: spec?.volumeName ?? '',
          deleting: metadata?.deletionTimestamp !== undefined,
          node: metadata?.annotations?.[selectedNodeAnnotation],
        }),
      ),
    }),
  };
}

function storageOf(field: string, of: Readonly<Record<string, string>> | undefined): number {
  const storage = of?.['storage'];
  if (storage === undefined) return 0;
  const bytes = wholeBytes(storage);
  if (bytes === undefined) throw new StatusError('invalid_argument', `${field}.storage must be a quantity, not negative`);
  return bytes;
}

/** The folder of a volume's folder: provisioners make one for each volume in the one that they were given. */
function folderOf(path: string | undefined): string | undefined {
  return path === undefined || path === '' ? undefined : posix.dirname(posix.normalize(path));
}

/** Local volumes name their node by its host name, some by the field metadata.name. */
function onlyNodeOf(terms: readonly NodeSelectorTerm[]): string | undefined {
  const [term, ...more] = terms;
  if (term === undefined || more.length > 0) return undefined;
  const requirement = [
    ...(term.matchExpressions ?? []).filter(({ key }) => nodeLabel.test(key)),
    ...(term.matchFields ?? []).filter(({ key }) => key === 'metadata.name'),
  ][0];
  return requirement?.operator === 'In' && requirement.values?.length === 1 ? requirement.values[0] : undefined;
}
