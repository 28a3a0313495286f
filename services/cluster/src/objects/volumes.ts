import type { ManifestService, ManifestVolume } from '@quartermaster/api/lease-manifest';
import type { PersistentVolumeClaim, Volume, VolumeMount } from '@quartermaster/kube/shapes';
import type { LeaseContent } from './desired.ts';
import { selectorLabels } from './object-labels.ts';
import { volumeName } from './object-names.ts';
import { plannedVolume } from './planned-service.ts';
import { bytesText } from './quantities.ts';

export const volumeBytes = ({ resources }: ManifestService, kind: ManifestVolume['kind']): number =>
  resources.volumes.reduce((sum, volume) => (volume.kind === kind ? sum + volume.bytes : sum), 0);

export const hasVolumes = ({ resources }: ManifestService, kind: ManifestVolume['kind']): boolean =>
  resources.volumes.some((volume) => volume.kind === kind);

/** Those that go with the pod. Ephemeral storage that is mounted nowhere is what the container writes beside its volumes. */
export function podVolumes(service: ManifestService): readonly Volume[] {
  const mounted = new Set(service.mounts.filter(({ path }) => path !== '').map(({ volume }) => volume));
  return service.resources.volumes.flatMap(({ kind, name, bytes }): readonly Volume[] => {
    const sizeLimit = bytesText(bytes);
    if (kind === 'ram') return [{ name: volumeName(service.name, name), emptyDir: { medium: 'Memory', sizeLimit } }];
    return kind === 'ephemeral' && mounted.has(name) ? [{ name: volumeName(service.name, name), emptyDir: { sizeLimit } }] : [];
  });
}

export function volumeMounts(service: ManifestService): readonly VolumeMount[] {
  const names = new Set(service.resources.volumes.map(({ name }) => name));
  return service.mounts
    .filter(({ volume, path }) => path !== '' && names.has(volume))
    .map(({ volume, path, readOnly }) => ({
      name: volumeName(service.name, volume),
      mountPath: path,
      ...(readOnly && { readOnly }),
    }));
}

/** A StatefulSet cannot change its templates of claims: nothing is in them that could be another one day, nor in their order. */
export function claimTemplates(content: LeaseContent, service: ManifestService): readonly PersistentVolumeClaim[] {
  const persistent = service.resources.volumes.filter(({ kind }) => kind === 'persistent');
  return persistent
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .map(({ name, bytes }) => ({
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { name: volumeName(service.name, name), labels: selectorLabels(content, service.name) },
      spec: {
        accessModes: ['ReadWriteOnce'],
        volumeMode: 'Filesystem',
        storageClassName: plannedVolume(content, service, name).class,
        resources: { requests: { storage: bytesText(bytes) } },
      },
    }));
}
