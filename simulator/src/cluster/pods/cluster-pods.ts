import type { Clock, Log, Random } from '@quartermaster/kernel';
import { type Cache, type KubeClient, kinds, startCache } from '@quartermaster/kube';
import { type KubeletPod, projectPod } from './kubelet-pod.ts';
import { type PodFields, podFields } from './pod-fields.ts';
import { timeOf, type WorkloadPod, workloadPod } from './workload-pod.ts';

/** A pod as the kubelet, the scheduler and the controllers see it, in one. */
export interface ClusterPod extends KubeletPod, WorkloadPod {}

/** All pods, for every part of a simulated cluster that runs in one process. Indexed by `owner` (uid), `node` and `namespace`. */
export type ClusterPods = Cache<ClusterPod>;

export interface ClusterPodsOptions {
  /** Tells of images whose program must run even in a pod that reads Running. None unless given. */
  readonly needsCare?: ((image: string) => boolean) | undefined;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
}

export function startClusterPods(client: KubeClient, { needsCare = () => false, ...context }: ClusterPodsOptions): ClusterPods {
  const projection = new PodProjection(needsCare);
  return startCache(client, {
    type: kinds.pods,
    fields: podFields,
    project: (pod) => projection.of(pod),
    indexes: {
      owner: ({ value }) => (value.owner === undefined ? [] : [value.owner]),
      node: ({ value }) => (value.nodeName === '' ? [] : [value.nodeName]),
      namespace: ({ value }) => [value.namespace],
    },
    ...context,
  });
}

/** How many different pods are remembered. */
const knownLimit = 5_000;

/**
 * What is kept of pods. Very many of them differ in nothing but who and where they are: the rest is worked out once, and all of them
 * share it.
 */
export class PodProjection {
  readonly #needsCare: (image: string) => boolean;
  #known = new Map<string, ClusterPod>(); // what similar pods have in common, as JSON -> one of them

  constructor(needsCare: (image: string) => boolean) {
    this.#needsCare = needsCare;
  }

  of(pod: PodFields): ClusterPod {
    const { name = '', uid = '', creationTimestamp, ...metadata } = pod.metadata ?? {};
    const { nodeName = '', ...spec } = pod.spec ?? {};
    const { podIP, ...status } = pod.status ?? {};
    // Pods that are not placed yet, or not any more what they were, are few.
    if (nodeName === '' || metadata.deletionTimestamp !== undefined) return this.#whole(pod);
    const common = JSON.stringify([{ ...metadata, resourceVersion: '' }, spec, status]);
    const known = this.#known.get(common);
    if (known === undefined) return this.#learn(common, this.#whole(pod));
    return { ...known, name, uid, nodeName, podIp: podIP, createdMs: timeOf(creationTimestamp) };
  }

  #learn(common: string, pod: ClusterPod): ClusterPod {
    // One that has work to do differs from all others.
    if (pod.active !== undefined) return pod;
    if (this.#known.size >= knownLimit) this.#known = new Map();
    this.#known.set(common, pod);
    return pod;
  }

  #whole(pod: PodFields): ClusterPod {
    return { ...workloadPod(pod), ...projectPod(pod, this.#needsCare) };
  }
}
