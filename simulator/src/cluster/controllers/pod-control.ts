import { withOwner } from '@quartermaster/controller';
import { isFailure, type KubeObject, keyText, kinds, type ObjectKeyText, type ResourceType, refOf } from '@quartermaster/kube';
import type { Pod, PodTemplateSpec } from '@quartermaster/kube/shapes';
import { inParallel } from '../client/in-parallel.ts';
import type { WorkloadPod } from '../pods/workload-pod.ts';
import type { ControllerContext } from './controller-context.ts';

const maxConcurrentWrites = 16;
/** A pod that was made and is not seen for this long was deleted again before the cache saw it. */
const forgetAfterMs = 30_000;

/**
 * Makes and deletes the pods of workloads, and remembers what the cache does not show yet: without that a controller would make the same
 * pods again. One per controller.
 */
export class PodControl {
  readonly #context: ControllerContext;
  readonly #made = new Map<string, Map<ObjectKeyText, number>>(); // owner uid -> pod -> when it was made
  readonly #deleted = new Set<string>(); // uids of pods that were deleted here

  constructor(context: ControllerContext) {
    this.#context = context;
    context.caches.pods.subscribe({ deleted: ({ uid }) => this.#deleted.delete(uid) });
  }

  /** The pods of an owner without those that were just deleted, and how many more were just made. */
  podsOf(owner: string): { readonly pods: readonly WorkloadPod[]; readonly unseen: readonly ObjectKeyText[] } {
    const { caches, clock } = this.#context;
    const made = this.#made.get(owner);
    for (const [key, atMs] of made ?? []) {
      if (caches.pods.get(key) !== undefined || clock.monotonic() - atMs > forgetAfterMs) made?.delete(key);
    }
    if (made?.size === 0) this.#made.delete(owner);
    const pods = caches.pods.byIndex('owner', owner).flatMap(({ uid, value }) => (this.#deleted.has(uid) ? [] : [value]));
    return { pods, unseen: [...(made?.keys() ?? [])] };
  }

  async create<O extends KubeObject>(type: ResourceType<O>, owner: O, pods: readonly Pod[], signal: AbortSignal): Promise<void> {
    const { client, clock } = this.#context;
    const uid = owner.metadata?.uid ?? '';
    await inParallel(pods, maxConcurrentWrites, async (pod) => {
      try {
        const stored = await client.create(kinds.pods, withOwner(pod, type, owner), { signal });
        const made = this.#made.get(uid) ?? new Map<ObjectKeyText, number>();
        this.#made.set(uid, made.set(keyText(refOf(stored)), clock.monotonic()));
        this.#tell(type, owner, 'SuccessfulCreate', `Created pod ${stored.metadata?.name}`);
      } catch (error) {
        // A named pod that is there is either ours and not seen yet, or about to go: the next look tells.
        if (!isFailure(error, 'already-exists')) throw error;
      }
    });
  }

  async delete<O extends KubeObject>(type: ResourceType<O>, owner: O, pods: readonly WorkloadPod[], signal: AbortSignal): Promise<void> {
    const { client } = this.#context;
    await inParallel(pods, maxConcurrentWrites, async ({ namespace, name, uid }) => {
      try {
        await client.delete(kinds.pods, { namespace, name }, { preconditions: { uid }, signal });
        this.#deleted.add(uid);
        this.#tell(type, owner, 'SuccessfulDelete', `Deleted pod ${name}`);
      } catch (error) {
        if (!isFailure(error, 'conflict')) throw error;
      }
    });
  }

  #tell<O extends KubeObject>(type: ResourceType<O>, owner: O, reason: string, note: string): void {
    this.#context.events.tell(type, owner.metadata ?? {}, 'Normal', { reason, action: 'Scale', note });
  }
}

/** A pod from the template, with further labels. */
export function podOf(
  namespace: string,
  name: { readonly name: string } | { readonly generateName: string },
  template: PodTemplateSpec | undefined,
  labels: Readonly<Record<string, string>> = {},
): Pod {
  const { metadata, spec } = template ?? {};
  return {
    metadata: {
      ...name,
      namespace,
      labels: { ...metadata?.labels, ...labels },
      annotations: metadata?.annotations,
    },
    spec: spec ?? { containers: [] },
  };
}
