import { posix } from 'node:path';
import { type Cache, type CacheOpener, kinds } from '@quartermaster/kube';
import type { NodeSelectorTerm } from '@quartermaster/kube/shapes';
import type { StorageClassFacts } from '../model/storage-inventory.ts';
import { both, fields, listOf, mapOf, quantity, required, shaped, text } from '../observe/shape.ts';
import { nodeLabel } from './querier/cluster-nodes.ts';
import type { ClaimFacts, VolumeFacts } from './querier/volume-ledger.ts';
import { wholeBytes } from './querier/whole-bytes.ts';

const selectedNodeAnnotation = 'volume.kubernetes.io/selected-node';

const provisionerAnnotation = 'pv.kubernetes.io/provisioned-by';
const classShape = both(
  required({ provisioner: text }),
  fields({ metadata: fields({ labels: mapOf(text), annotations: mapOf(text) }), parameters: mapOf(text) }),
);
const requirements = listOf(both(required({ key: text, operator: text }), fields({ values: listOf(text) })));
const selectorTerms = listOf(fields({ matchExpressions: requirements, matchFields: requirements }));
const volumeShape = fields({
  metadata: fields({ annotations: mapOf(text) }),
  spec: fields({
    local: fields({ path: text }),
    hostPath: fields({ path: text }),
    storageClassName: text,
    capacity: mapOf(quantity),
    csi: fields({ driver: text, volumeAttributes: mapOf(text) }),
    claimRef: fields({ uid: text }),
    nodeAffinity: fields({ required: fields({ nodeSelectorTerms: selectorTerms }) }),
  }),
});
const claimShape = fields({
  metadata: fields({ annotations: mapOf(text) }),
  spec: fields({ storageClassName: text, volumeName: text, resources: fields({ requests: mapOf(quantity) }) }),
});

/** The built-in objects from which classes and promises are read. */
export interface ObservedStorage {
  readonly classes: Cache<StorageClassFacts>;
  readonly volumes: Cache<VolumeFacts>;
  readonly claims: Cache<ClaimFacts>;
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
      fields: {
        metadata: { annotations: true },
        spec: {
          storageClassName: true,
          capacity: true,
          hostPath: { path: true },
          local: { path: true },
          csi: { driver: true, volumeAttributes: true },
          claimRef: { uid: true },
          nodeAffinity: true,
        },
      },
      project: shaped(
        volumeShape,
        ({ metadata, spec }): VolumeFacts => ({
          class: spec?.storageClassName ?? '',
          bytes: wholeBytes(spec?.capacity?.['storage']) ?? 0,
          driver: spec?.csi?.driver ?? '',
          attributes: spec?.csi?.volumeAttributes ?? {},
          node: onlyNodeOf(spec?.nodeAffinity?.required?.nodeSelectorTerms ?? []),
          claimUid: spec?.claimRef?.uid,
          provisioner: metadata?.annotations?.[provisionerAnnotation],
          folder: folderOf(spec?.local?.path ?? spec?.hostPath?.path),
        }),
      ),
    }),
    claims: caches.open({
      name: 'persistent-volume-claims',
      type: kinds.persistentVolumeClaims,
      fields: {
        metadata: { annotations: true, deletionTimestamp: true },
        spec: { storageClassName: true, volumeName: true, resources: { requests: true } },
      },
      project: shaped(
        claimShape,
        ({ metadata, spec }): ClaimFacts => ({
          class: spec?.storageClassName ?? '',
          bytes: wholeBytes(spec?.resources?.requests?.['storage']) ?? 0,
          volumeName: spec?.volumeName ?? '',
          deleting: metadata?.deletionTimestamp !== undefined,
          node: metadata?.annotations?.[selectedNodeAnnotation],
        }),
      ),
    }),
  };
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
