import { countedPodFields, type FieldSelection, type Selected } from '@quartermaster/kube';
import type { Pod } from '@quartermaster/kube/shapes';

/** The fields of a pod that any part of a simulated cluster reads. Containers and conditions as a whole: the kubelet writes them anew. */
export const podFields = {
  metadata: {
    name: true,
    namespace: true,
    uid: true,
    labels: true,
    annotations: true,
    ownerReferences: true,
    creationTimestamp: true,
    deletionTimestamp: true,
    deletionGracePeriodSeconds: true,
  },
  spec: {
    ...countedPodFields.spec,
    containers: true,
    initContainers: true,
    restartPolicy: true,
    hostNetwork: true,
    terminationGracePeriodSeconds: true,
    schedulerName: true,
    schedulingGates: true,
    tolerations: true,
    nodeSelector: true,
    affinity: true,
    topologySpreadConstraints: true,
    priority: true,
    priorityClassName: true,
    preemptionPolicy: true,
    volumes: { persistentVolumeClaim: true },
  },
  status: {
    ...countedPodFields.status,
    podIP: true,
    startTime: true,
    conditions: true,
    containerStatuses: true,
    initContainerStatuses: true,
  },
} as const satisfies FieldSelection<Pod>;

export type PodFields = Selected<Pod, typeof podFields>;
