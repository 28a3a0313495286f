import { done, type Reconciler } from '@quartermaster/controller';
import { compareQuantity, parseQuantity } from '@quartermaster/kernel';
import { type KubeClient, kinds, parseKey } from '@quartermaster/kube';
import type { PersistentVolume, PersistentVolumeClaim, StorageClass } from '@quartermaster/kube/shapes';
import { tolerating } from '../client/tolerating.ts';
import { selectedNodeAnnotation } from '../scheduler/volume-rules.ts';
import type { ControllerContext } from './controller-context.ts';

const provisionedBy = 'pv.kubernetes.io/provisioned-by';
/** Provisioners whose volumes lie on one node. */
const localProvisioners = new Set(['rancher.io/local-path', 'kubernetes.io/no-provisioner']);

/** Gives claims their volumes: one that is there and fits, or a new one by the claim's class. */
export const volumeBindingReconciler = ({ caches, client }: ControllerContext): Reconciler => ({
  name: 'simulated-volume-binding',
  reconcile: async (key, signal) => {
    const claim = caches.claims.get(key)?.value;
    if (claim === undefined || claim.metadata?.deletionTimestamp !== undefined) return done;
    const bound = claim.spec?.volumeName ?? '';
    const storageClass = caches.classes.get(claim.spec?.storageClassName ?? '')?.value;
    const waits = storageClass?.volumeBindingMode === 'WaitForFirstConsumer';
    if (bound === '' && waits && claim.metadata?.annotations?.[selectedNodeAnnotation] === undefined) return done;
    const volume =
      bound === ''
        ? (fitting(
            claim,
            [...caches.volumes.entries()].map(({ value }) => value),
          ) ?? (await provision(client, claim, storageClass, signal)))
        : caches.volumes.get(bound)?.value;
    if (volume !== undefined) await bind(client, claim, volume, signal);
    return done;
  },
});

function fitting(claim: PersistentVolumeClaim, volumes: readonly PersistentVolume[]): PersistentVolume | undefined {
  const uid = claim.metadata?.uid;
  const reserved = volumes.find(({ spec }) => spec?.claimRef?.uid !== undefined && spec.claimRef.uid === uid);
  const smallestFirst = (a: PersistentVolume, b: PersistentVolume): number =>
    compareQuantity(parseQuantity(capacityOf(a)), parseQuantity(capacityOf(b)));
  return reserved ?? volumes.filter((volume) => fits(claim, volume)).sort(smallestFirst)[0];
}

async function provision(
  client: KubeClient,
  claim: PersistentVolumeClaim,
  storageClass: StorageClass | undefined,
  signal: AbortSignal,
): Promise<PersistentVolume | undefined> {
  if (storageClass === undefined || storageClass.provisioner === 'kubernetes.io/no-provisioner') return undefined;
  const volume = provisioned(claim, storageClass);
  const made = await tolerating('already-exists', client.create(kinds.persistentVolumes, volume, { signal }));
  return made ?? (await client.get(kinds.persistentVolumes, { name: volume.metadata?.name ?? '' }, { signal }));
}

/** First the volume, then the claim: a claim that reads Bound has a volume that knows it. */
async function bind(client: KubeClient, claim: PersistentVolumeClaim, volume: PersistentVolume, signal: AbortSignal): Promise<void> {
  const { namespace = '', name = '', uid = '' } = claim.metadata ?? {};
  const { name: volumeName = '', resourceVersion } = volume.metadata ?? {};
  const ofVolume = (body: object, subresource?: 'status') =>
    client.patch(kinds.persistentVolumes, { name: volumeName }, { kind: 'merge', body }, { subresource, signal });
  const ofClaim = (body: object, subresource?: 'status') =>
    client.patch(kinds.persistentVolumeClaims, { namespace, name }, { kind: 'merge', body }, { subresource, signal });
  if (volume.spec?.claimRef?.uid !== uid) {
    const claimRef = { apiVersion: 'v1', kind: 'PersistentVolumeClaim', namespace, name, uid };
    await ofVolume({ metadata: { resourceVersion }, spec: { claimRef } });
  }
  if (volume.status?.phase !== 'Bound') await ofVolume({ status: { phase: 'Bound' } }, 'status');
  if (claim.spec?.volumeName !== volumeName) {
    const annotations = { 'pv.kubernetes.io/bind-completed': 'yes', 'pv.kubernetes.io/bound-by-controller': 'yes' };
    await ofClaim({ metadata: { annotations }, spec: { volumeName } });
  }
  if (claim.status?.phase !== 'Bound') {
    const status = { phase: 'Bound', accessModes: volume.spec?.accessModes ?? [], capacity: { storage: capacityOf(volume) } };
    await ofClaim({ status }, 'status');
  }
}

/** Releases volumes whose claim is gone, and deletes those that were provisioned for it. Keys are names of volumes. */
export const volumeReclaimReconciler = ({ caches, client }: ControllerContext): Reconciler => ({
  name: 'simulated-volume-reclaim',
  reconcile: async (key, signal) => {
    const volume = caches.volumes.get(key)?.value;
    if (volume === undefined || volume.metadata?.deletionTimestamp !== undefined) return done;
    const setPhase = (phase: string) =>
      client.patch(
        kinds.persistentVolumes,
        parseKey(key),
        { kind: 'merge', body: { status: { phase } } },
        { subresource: 'status', signal },
      );
    const claim = volume.spec?.claimRef;
    if (claim?.uid === undefined) {
      if (volume.status?.phase === 'Pending') await setPhase('Available');
      return done;
    }
    // Asked of the server: that a cache lacks a claim may mean that it is new.
    const found = await client.find(kinds.persistentVolumeClaims, { namespace: claim.namespace, name: claim.name ?? '' }, { signal });
    if (found?.metadata?.uid === claim.uid) return done;
    if (volume.spec?.persistentVolumeReclaimPolicy === 'Delete')
      await client.delete(kinds.persistentVolumes, parseKey(key), { preconditions: { uid: volume.metadata?.uid ?? '' }, signal });
    else if (volume.status?.phase !== 'Released') await setPhase('Released');
    return done;
  },
});

const isUnused = (phase: string | undefined): boolean => phase === undefined || phase === 'Pending' || phase === 'Available';

const capacityOf = ({ spec }: PersistentVolume): string => spec?.capacity?.['storage'] ?? '0';
const requestOf = ({ spec }: PersistentVolumeClaim): string => spec?.resources?.requests?.['storage'] ?? '0';

function fits(claim: PersistentVolumeClaim, volume: PersistentVolume): boolean {
  const { spec, status } = volume;
  const reserved = spec?.claimRef;
  const isFree =
    reserved === undefined
      ? isUnused(status?.phase)
      : reserved.uid === undefined && reserved.name === claim.metadata?.name && reserved.namespace === claim.metadata?.namespace;
  return (
    isFree &&
    (spec?.storageClassName ?? '') === (claim.spec?.storageClassName ?? '') &&
    (claim.spec?.accessModes ?? []).every((mode) => spec?.accessModes?.includes(mode) === true) &&
    compareQuantity(parseQuantity(capacityOf(volume)), parseQuantity(requestOf(claim))) >= 0
  );
}

function provisioned(claim: PersistentVolumeClaim, storageClass: StorageClass): PersistentVolume {
  const { namespace = '', name = '', uid = '', annotations } = claim.metadata ?? {};
  const node = annotations?.[selectedNodeAnnotation];
  const isLocal = localProvisioners.has(storageClass.provisioner);
  const terms = [{ matchExpressions: [{ key: 'kubernetes.io/hostname', operator: 'In', values: [node ?? ''] }] }];
  return {
    metadata: { name: `pvc-${uid}`, annotations: { [provisionedBy]: storageClass.provisioner } },
    spec: {
      capacity: { storage: requestOf(claim) },
      accessModes: claim.spec?.accessModes ?? ['ReadWriteOnce'],
      persistentVolumeReclaimPolicy: storageClass.reclaimPolicy ?? 'Delete',
      storageClassName: storageClass.metadata?.name ?? '',
      volumeMode: claim.spec?.volumeMode ?? 'Filesystem',
      claimRef: { apiVersion: 'v1', kind: 'PersistentVolumeClaim', namespace, name, uid },
      ...(isLocal
        ? { hostPath: { path: `/opt/local-path-provisioner/pvc-${uid}` } }
        : { csi: { driver: storageClass.provisioner, volumeHandle: `simulated-${uid}` } }),
      ...(isLocal && node !== undefined ? { nodeAffinity: { required: { nodeSelectorTerms: terms } } } : {}),
    },
  };
}
