import { done, type Outcome, type Reconciler } from '@quartermaster/controller';
import { compareQuantity, parseQuantity } from '@quartermaster/kernel';
import { isFailure, kinds, type ObjectKeyText, parseKey } from '@quartermaster/kube';
import type { PersistentVolume, PersistentVolumeClaim, StorageClass } from '@quartermaster/kube/shapes';
import { selectedNodeAnnotation } from '../scheduler/volume-rules.ts';
import type { ControllerContext } from './controller-context.ts';

const provisionedBy = 'pv.kubernetes.io/provisioned-by';
/** Provisioners whose volumes lie on one node. */
const localProvisioners = new Set(['rancher.io/local-path', 'kubernetes.io/no-provisioner']);

/** Gives claims their volumes: one that is there and fits, or a new one by the claim's class. */
export class VolumeBindingReconciler implements Reconciler {
  readonly name = 'simulated-volume-binding';
  readonly #context: ControllerContext;

  constructor(context: ControllerContext) {
    this.#context = context;
  }

  async reconcile(key: ObjectKeyText, signal: AbortSignal): Promise<Outcome> {
    const { caches } = this.#context;
    const claim = caches.claims.get(key)?.value;
    if (claim === undefined || claim.metadata?.deletionTimestamp !== undefined) return done;
    const bound = claim.spec?.volumeName ?? '';
    if (bound !== '') {
      const volume = caches.volumes.get(bound)?.value;
      if (volume !== undefined) await this.#bind(claim, volume, signal);
      return done;
    }
    const storageClass = caches.classes.get(claim.spec?.storageClassName ?? '')?.value;
    const waits = storageClass?.volumeBindingMode === 'WaitForFirstConsumer';
    if (waits && claim.metadata?.annotations?.[selectedNodeAnnotation] === undefined) return done;
    const volume = this.#fitting(claim) ?? (await this.#provision(claim, storageClass, signal));
    if (volume !== undefined) await this.#bind(claim, volume, signal);
    return done;
  }

  #fitting(claim: PersistentVolumeClaim): PersistentVolume | undefined {
    const uid = claim.metadata?.uid;
    const volumes = [...this.#context.caches.volumes.entries()].map(({ value }) => value);
    return (
      volumes.find(({ spec }) => spec?.claimRef?.uid !== undefined && spec.claimRef.uid === uid) ??
      volumes
        .filter((volume) => fits(claim, volume))
        .sort((a, b) => compareQuantity(parseQuantity(capacityOf(a)), parseQuantity(capacityOf(b))))[0]
    );
  }

  async #provision(
    claim: PersistentVolumeClaim,
    storageClass: StorageClass | undefined,
    signal: AbortSignal,
  ): Promise<PersistentVolume | undefined> {
    if (storageClass === undefined || storageClass.provisioner === 'kubernetes.io/no-provisioner') return undefined;
    const volume = provisioned(claim, storageClass);
    const { client } = this.#context;
    try {
      return await client.create(kinds.persistentVolumes, volume, { signal });
    } catch (error) {
      if (!isFailure(error, 'already-exists')) throw error;
      return await client.get(kinds.persistentVolumes, { name: volume.metadata?.name ?? '' }, { signal });
    }
  }

  /** First the volume, then the claim: a claim that reads Bound has a volume that knows it. */
  async #bind(claim: PersistentVolumeClaim, volume: PersistentVolume, signal: AbortSignal): Promise<void> {
    const { client } = this.#context;
    const { namespace = '', name = '', uid = '' } = claim.metadata ?? {};
    const volumeName = volume.metadata?.name ?? '';
    if (volume.spec?.claimRef?.uid !== uid) {
      const claimRef = { apiVersion: 'v1', kind: 'PersistentVolumeClaim', namespace, name, uid };
      const body = { metadata: { resourceVersion: volume.metadata?.resourceVersion }, spec: { claimRef } };
      await client.patch(kinds.persistentVolumes, { name: volumeName }, { kind: 'merge', body }, { signal });
    }
    if (volume.status?.phase !== 'Bound') {
      const body = { status: { phase: 'Bound' } };
      await client.patch(kinds.persistentVolumes, { name: volumeName }, { kind: 'merge', body }, { subresource: 'status', signal });
    }
    if (claim.spec?.volumeName !== volumeName) {
      const annotations = { 'pv.kubernetes.io/bind-completed': 'yes', 'pv.kubernetes.io/bound-by-controller': 'yes' };
      const body = { metadata: { annotations }, spec: { volumeName } };
      await client.patch(kinds.persistentVolumeClaims, { namespace, name }, { kind: 'merge', body }, { signal });
    }
    if (claim.status?.phase !== 'Bound') {
      const status = { phase: 'Bound', accessModes: volume.spec?.accessModes ?? [], capacity: { storage: capacityOf(volume) } };
      await client.patch(
        kinds.persistentVolumeClaims,
        { namespace, name },
        { kind: 'merge', body: { status } },
        { subresource: 'status', signal },
      );
    }
  }
}

/** Releases volumes whose claim is gone, and deletes those that were provisioned for it. Keys are names of volumes. */
export class VolumeReclaimReconciler implements Reconciler {
  readonly name = 'simulated-volume-reclaim';
  readonly #context: ControllerContext;

  constructor(context: ControllerContext) {
    this.#context = context;
  }

  async reconcile(key: ObjectKeyText, signal: AbortSignal): Promise<Outcome> {
    const { caches, client } = this.#context;
    const volume = caches.volumes.get(key)?.value;
    if (volume === undefined || volume.metadata?.deletionTimestamp !== undefined) return done;
    const claim = volume.spec?.claimRef;
    if (claim?.uid === undefined) {
      if (volume.status?.phase === 'Pending') await this.#setPhase(key, 'Available', signal);
      return done;
    }
    // Asked of the server: that a cache lacks a claim may mean that it is new.
    const found = await client.find(kinds.persistentVolumeClaims, { namespace: claim.namespace, name: claim.name ?? '' }, { signal });
    if (found?.metadata?.uid === claim.uid) return done;
    if (volume.spec?.persistentVolumeReclaimPolicy === 'Delete') {
      await client.delete(kinds.persistentVolumes, parseKey(key), { preconditions: { uid: volume.metadata?.uid ?? '' }, signal });
    } else if (volume.status?.phase !== 'Released') await this.#setPhase(key, 'Released', signal);
    return done;
  }

  async #setPhase(key: ObjectKeyText, phase: string, signal: AbortSignal): Promise<void> {
    const body = { status: { phase } };
    await this.#context.client.patch(kinds.persistentVolumes, parseKey(key), { kind: 'merge', body }, { subresource: 'status', signal });
  }
}

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
