import { type Cache, type KubeClient, kinds, startCache } from '@quartermaster/kube';
import type { NodeSelectorTerm } from '@quartermaster/kube/shapes';
import type { StorageClassFacts } from '../model/storage-inventory.ts';
import { nodeLabel } from './querier/cluster-nodes.ts';
import type { QuerierContext } from './querier/querier-context.ts';
import type { ClaimFacts, VolumeFacts } from './querier/volume-ledger.ts';
import { wholeBytes } from './querier/whole-bytes.ts';

const selectedNodeAnnotation = 'volume.kubernetes.io/selected-node';

type CacheContext = Pick<QuerierContext, 'clock' | 'random' | 'log'>;

/** The built-in objects from which classes and promises are read. */
export interface ObservedStorage {
  readonly classes: Cache<StorageClassFacts>;
  readonly volumes: Cache<VolumeFacts>;
  readonly claims: Cache<ClaimFacts>;
}

export function observeStorage(client: KubeClient, context: CacheContext): ObservedStorage {
  return {
    classes: startCache(client, {
      ...context,
      type: kinds.storageClasses,
      fields: {
        metadata: { name: true, labels: true, annotations: true },
        provisioner: true,
        parameters: true,
      },
      project: ({ metadata, provisioner, parameters }): StorageClassFacts => ({
        name: metadata?.name ?? '',
        provisioner,
        parameters: parameters ?? {},
        labels: metadata?.labels ?? {},
        annotations: metadata?.annotations ?? {},
      }),
    }),
    volumes: startCache(client, {
      ...context,
      type: kinds.persistentVolumes,
      fields: {
        spec: {
          storageClassName: true,
          capacity: true,
          csi: { driver: true, volumeAttributes: true },
          claimRef: { uid: true },
          nodeAffinity: true,
        },
      },
      project: ({ spec }): VolumeFacts => ({
        class: spec?.storageClassName ?? '',
        bytes: wholeBytes(spec?.capacity?.['storage']) ?? 0,
        driver: spec?.csi?.driver ?? '',
        attributes: spec?.csi?.volumeAttributes ?? {},
        node: onlyNodeOf(spec?.nodeAffinity?.required?.nodeSelectorTerms ?? []),
        claimUid: spec?.claimRef?.uid,
      }),
    }),
    claims: startCache(client, {
      ...context,
      type: kinds.persistentVolumeClaims,
      fields: {
        metadata: { annotations: true, deletionTimestamp: true },
        spec: { storageClassName: true, volumeName: true, resources: { requests: true } },
      },
      project: ({ metadata, spec }): ClaimFacts => ({
        class: spec?.storageClassName ?? '',
        bytes: wholeBytes(spec?.resources?.requests?.['storage']) ?? 0,
        volumeName: spec?.volumeName ?? '',
        deleting: metadata?.deletionTimestamp !== undefined,
        node: metadata?.annotations?.[selectedNodeAnnotation],
      }),
    }),
  };
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
