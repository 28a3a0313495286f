import { StatusError } from '@quartermaster/kernel';
import { isFailure, type KubeObject, type KubeWriter, keyText, type RequestOptions, type ResourceType, refOf } from '@quartermaster/kube';

/**
 * A finalizer keeps a deleted object visible until its owner has cleaned up. The order that never leaks anything:
 *
 * 1. `ensureFinalizer`, and only when it has returned, create the thing that garbage collection would not remove.
 * 2. When `isDeleting`, remove that thing; when that failed, throw and keep the finalizer.
 * 3. Only then `removeFinalizer`.
 *
 * The list belongs to all controllers of the object, so every write carries the resourceVersion that was read: when somebody else
 * changed the object meanwhile, the server answers with a conflict, which the controller loop retries soon.
 */
export interface FinalizerOptions extends RequestOptions {
  readonly fieldManager?: string | undefined;
}

const finalizerPattern = /^[a-z0-9]([-a-z0-9.]*[a-z0-9])?\/[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$/;

export function isDeleting(object: KubeObject): boolean {
  return object.metadata?.deletionTimestamp !== undefined;
}

export function hasFinalizer(object: KubeObject, name: string): boolean {
  return object.metadata?.finalizers?.includes(name) === true;
}

/**
 * The object with the finalizer stored on the server: the one given when it already had it, otherwise the server's answer, whose
 * resourceVersion later writes must carry. The server admits no new finalizer on an object that is being deleted.
 */
export async function ensureFinalizer<T extends KubeObject>(
  writer: KubeWriter,
  type: ResourceType<T>,
  object: T,
  name: string,
  options: FinalizerOptions = {},
): Promise<T> {
  if (!finalizerPattern.test(name)) {
    throw new StatusError('invalid_argument', `finalizer ${JSON.stringify(name)} must be of the form example.com/what-it-waits-for`);
  }
  if (hasFinalizer(object, name)) return object;
  if (isDeleting(object)) {
    const what = `${type.kind} ${keyText(refOf(object))}`;
    throw new StatusError('failed_precondition', `${what} is being deleted, so finalizer ${name} cannot be added: check isDeleting first`);
  }
  return await writeFinalizers(writer, type, object, [...(object.metadata?.finalizers ?? []), name], options);
}

/** Idempotent: resolves also when the object has no such finalizer or is already gone. */
export async function removeFinalizer<T extends KubeObject>(
  writer: KubeWriter,
  type: ResourceType<T>,
  object: T,
  name: string,
  options: FinalizerOptions = {},
): Promise<void> {
  if (!hasFinalizer(object, name)) return;
  const rest = (object.metadata?.finalizers ?? []).filter((finalizer) => finalizer !== name);
  try {
    await writeFinalizers(writer, type, object, rest, options);
  } catch (thrown) {
    if (!isFailure(thrown, 'not-found')) throw thrown;
  }
}

async function writeFinalizers<T extends KubeObject>(
  writer: KubeWriter,
  type: ResourceType<T>,
  object: T,
  finalizers: readonly string[],
  options: FinalizerOptions,
): Promise<T> {
  const ref = refOf(object);
  const resourceVersion = object.metadata?.resourceVersion;
  if (resourceVersion === undefined) {
    const rule = 'without metadata.resourceVersion its finalizers cannot be changed safely: keep it in the projection';
    throw new StatusError('internal', `${type.kind} ${keyText(ref)}: ${rule}`);
  }
  // A failed `test` of a JSON patch would be answered 422, which reads as terminal; a stale resourceVersion is answered 409.
  return await writer.patch(type, ref, { kind: 'merge', body: { metadata: { resourceVersion, finalizers } } }, options);
}
