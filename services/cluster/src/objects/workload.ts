import type { ManifestService } from '@quartermaster/api/lease-manifest';
import { kinds } from '@quartermaster/kube';
import type { PodTemplateSpec } from '@quartermaster/kube/shapes';
import type { DesiredObject, LeaseContent } from './desired.ts';
import { desiredObject } from './desired-object.ts';
import { objectMeta, selectorLabels } from './object-labels.ts';
import { statefulSetName } from './object-names.ts';
import { claimTemplates, hasVolumes } from './volumes.ts';

/** A container that ends again and again is ready for a moment each time, and available never. */
export const minReadySeconds = 10;

/**
 * A StatefulSet where volumes must outlive pods, a Deployment otherwise. Neither has a pod more than was reserved: the old one goes before the new one comes. A
 * StatefulSet replaces one pod at a time by itself, and servers differ in whether they store a number for it.
 */
export function workload(content: LeaseContent, service: ManifestService, template: PodTemplateSpec): DesiredObject {
  const { name, count: replicas } = service;
  const selector = { matchLabels: selectorLabels(content, name) };
  if (!hasVolumes(service, 'persistent'))
    return desiredObject(kinds.deployments, {
      metadata: objectMeta(content, name, name),
      spec: {
        replicas,
        minReadySeconds,
        revisionHistoryLimit: 10,
        strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 0, maxUnavailable: 1 } },
        selector,
        template,
      },
    });
  return desiredObject(kinds.statefulSets, {
    metadata: objectMeta(content, statefulSetName(name), name),
    spec: {
      replicas,
      minReadySeconds,
      revisionHistoryLimit: 1,
      serviceName: name,
      // In order, one that cannot start would keep a corrected template from it, and the others from their places.
      podManagementPolicy: 'Parallel',
      updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 0 } },
      // A set that is made anew finds its volumes again. They go with the namespace, or by themselves once their loss was confirmed.
      persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Retain', whenScaled: 'Retain' },
      selector,
      template,
      volumeClaimTemplates: claimTemplates(content, service),
    },
  });
}
