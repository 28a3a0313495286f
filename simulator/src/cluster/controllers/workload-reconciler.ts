import { done, type Outcome, type Reconciler } from '@quartermaster/controller';
import type { KubeObject, ObjectKeyText, ReadableCache, ResourceType } from '@quartermaster/kube';
import type { Pod } from '@quartermaster/kube/shapes';
import type { ControllerCaches, ControllerContext } from './controller-context.ts';
import { PodControl } from './pod-control.ts';
import type { WorkloadPod } from './workload-pod.ts';

/** One look at one workload: its pods, and what can be done with them. */
export interface WorkloadTurn extends ControllerContext {
  /** Without those that were just deleted. */
  readonly pods: readonly WorkloadPod[];
  /** Pods that were just made and that the cache does not show yet. */
  readonly unseen: readonly ObjectKeyText[];
  readonly signal: AbortSignal;
  create(pods: readonly Pod[]): Promise<void>;
  delete(pods: readonly WorkloadPod[]): Promise<void>;
}

/** A kind of object that keeps pods. */
export interface Workload<O extends KubeObject> {
  readonly name: string;
  readonly type: ResourceType<O>;
  cacheOf(caches: ControllerCaches): ReadableCache<O>;
  /** Does what comes next for an object that is not being deleted. */
  keep(object: O, turn: WorkloadTurn): Promise<Outcome>;
}

export class WorkloadReconciler<O extends KubeObject> implements Reconciler {
  readonly name: string;
  readonly #context: ControllerContext;
  readonly #workload: Workload<O>;
  readonly #pods: PodControl;

  constructor(context: ControllerContext, workload: Workload<O>) {
    this.name = workload.name;
    this.#context = context;
    this.#workload = workload;
    this.#pods = new PodControl(context);
  }

  async reconcile(key: ObjectKeyText, signal: AbortSignal): Promise<Outcome> {
    const { type } = this.#workload;
    const object = this.#workload.cacheOf(this.#context.caches).get(key)?.value;
    if (object === undefined || object.metadata?.deletionTimestamp !== undefined) return done;
    return await this.#workload.keep(object, {
      ...this.#context,
      ...this.#pods.podsOf(object.metadata?.uid ?? ''),
      signal,
      create: (pods) => this.#pods.create(type, object, pods, signal),
      delete: (pods) => this.#pods.delete(type, object, pods, signal),
    });
  }
}
