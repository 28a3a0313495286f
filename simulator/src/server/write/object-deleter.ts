import type { Clock } from '@quartermaster/kernel';
import { conflict } from '../../schema/api-status.ts';
import { keyOf, type ServedKind } from '../kinds/served-kind.ts';
import { type JsonObject, jsonEqual, metaOf, numberAt, objectAt, rfc3339, textAt, withMeta } from '../object/api-object.ts';
import { getObject, type ObjectRef, shown } from '../store/object-reader.ts';
import type { Store } from '../store/store.ts';
import type { Admit } from './admission-policies.ts';

export type Propagation = 'Background' | 'Foreground' | 'Orphan';

export interface DeleteOptions {
  readonly dryRun: boolean;
  readonly gracePeriodSeconds?: number | undefined;
  readonly propagation?: Propagation | undefined;
  /** Has the last word. Deletions of the server itself have none. */
  readonly admit?: Admit | undefined;
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string } | undefined;
}

export interface Deletion {
  readonly object: JsonObject;
  /** Whether it is gone, rather than waiting for finalizers or its grace period. */
  readonly gone: boolean;
}

/** The finalizers by which the garbage collector holds an owner back. */
export const foregroundFinalizer = 'foregroundDeletion';
export const orphanFinalizer = 'orphan';

/** Deletes objects, or marks them where something must happen first. */
export class ObjectDeleter {
  readonly #store: Store;
  readonly #clock: Clock;

  constructor(store: Store, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  delete(kind: ServedKind, ref: ObjectRef, options: DeleteOptions): Deletion {
    const live = getObject(this.#store, kind, ref);
    checkPreconditions(kind, live, options);
    options.admit?.({ operation: 'DELETE', kind, ref, subresource: undefined, object: undefined, oldObject: live, dryRun: options.dryRun });
    const finalizers = finalizersFor(metaOf(live).finalizers ?? [], options.propagation);
    const graceSeconds = kind.storageKey === '/pods' ? podGrace(live, options.gracePeriodSeconds) : 0;
    const waits = finalizers.length > 0 || graceSeconds > 0 || holdsContent(kind, live);
    const key = keyOf(kind.namespaced ? (ref.namespace ?? '') : undefined, ref.name);
    if (!waits) {
      const gone = options.dryRun ? live : (this.#store.remove(kind.storageKey, key) ?? live);
      return { object: shown(kind, gone), gone: true };
    }
    const marked = this.#marked(kind, live, finalizers, graceSeconds);
    if (options.dryRun || jsonEqual(marked, live)) return { object: live, gone: false };
    const stored = this.#store.get(kind.storageKey, key) ?? {};
    const object = this.#store.put(kind.storageKey, key, { ...stored, ...marked, apiVersion: stored['apiVersion'] ?? '' });
    return { object: shown(kind, object), gone: false };
  }

  /** The first deletion sets the time; a later one can only bring it forward. */
  #marked(kind: ServedKind, live: JsonObject, finalizers: readonly string[], graceSeconds: number): JsonObject {
    const meta = metaOf(live);
    const isFirst = meta.deletionTimestamp === undefined;
    const isShorter = graceSeconds < (meta.deletionGracePeriodSeconds ?? 0);
    const time = isFirst || isShorter ? rfc3339(this.#clock.now() + graceSeconds * 1000) : meta.deletionTimestamp;
    const generation = isFirst && meta.generation !== undefined ? meta.generation + 1 : meta.generation;
    const marked = withMeta(live, {
      finalizers: finalizers.length === 0 ? undefined : finalizers,
      deletionTimestamp: time,
      deletionGracePeriodSeconds: isFirst || isShorter ? graceSeconds : meta.deletionGracePeriodSeconds,
      generation,
    });
    return kind.storageKey === '/namespaces' ? { ...marked, status: { ...objectAt(live, 'status'), phase: 'Terminating' } } : marked;
  }
}

function checkPreconditions(kind: ServedKind, live: JsonObject, { preconditions = {} }: DeleteOptions): void {
  const { uid, resourceVersion, name = '' } = metaOf(live);
  if (preconditions.uid !== undefined && preconditions.uid !== uid)
    throw conflict(kind, name, `Precondition failed: UID in precondition: ${preconditions.uid}, UID in object meta: ${uid}`);
  if (preconditions.resourceVersion !== undefined && preconditions.resourceVersion !== resourceVersion) {
    const why = `Precondition failed: ResourceVersion in precondition: ${preconditions.resourceVersion}, ResourceVersion in object meta: ${resourceVersion}`;
    throw conflict(kind, name, why);
  }
}

function finalizersFor(finalizers: readonly string[], propagation: Propagation | undefined): readonly string[] {
  if (propagation === undefined) return finalizers;
  const others = finalizers.filter((each) => each !== foregroundFinalizer && each !== orphanFinalizer);
  if (propagation === 'Foreground') return [...others, foregroundFinalizer];
  return propagation === 'Orphan' ? [...others, orphanFinalizer] : others;
}

/** A pod that runs nowhere, or no longer, needs no time to end. */
function podGrace(pod: JsonObject, asked: number | undefined): number {
  if (textAt(pod, 'spec', 'nodeName') === '' || ['Succeeded', 'Failed'].includes(textAt(pod, 'status', 'phase'))) return 0;
  const { deletionGracePeriodSeconds } = metaOf(pod);
  const grace = asked ?? deletionGracePeriodSeconds ?? numberAt(pod, 'spec', 'terminationGracePeriodSeconds') ?? 30;
  return deletionGracePeriodSeconds === undefined ? grace : Math.min(grace, deletionGracePeriodSeconds);
}

/** A namespace goes only after what is in it. */
export const holdsContent = (kind: Pick<ServedKind, 'storageKey'>, live: JsonObject): boolean => {
  const finalizers = objectAt(live, 'spec')['finalizers'];
  return kind.storageKey === '/namespaces' && Array.isArray(finalizers) && finalizers.length > 0;
};
