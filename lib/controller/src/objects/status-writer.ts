import { StatusError } from '@quartermaster/kernel';
import { type KubeObject, type KubeWriter, keyText, type ResourceType, refOf, type WriteOptions } from '@quartermaster/kube';
import { isJsonObject, jsonEqual } from '../json/json-equal.ts';
import { mergePatch } from '../json/merge-patch.ts';

/** An object with a status subresource. */
export type WithStatus = KubeObject & { readonly status?: object | undefined };

/**
 * Makes the stored status equal to `status`, and writes nothing when it already is: a write without a change would wake every
 * watcher, the writer included. Fails with a conflict when the object moved on since it was read. Returns the object as stored.
 */
export async function writeStatus<T extends WithStatus>(
  writer: KubeWriter,
  type: ResourceType<T>,
  object: T,
  status: NonNullable<T['status']>,
  options: Omit<WriteOptions, 'subresource'> = {},
): Promise<T> {
  if (jsonEqual(object.status, status)) return object;
  const ref = refOf(object);
  const resourceVersion = object.metadata?.resourceVersion;
  if (resourceVersion === undefined) {
    const rule = 'without metadata.resourceVersion its status cannot be written safely: keep it in the projection';
    throw new StatusError('internal', `${type.kind} ${keyText(ref)}: ${rule}`);
  }
  const before: unknown = object.status;
  const change = isJsonObject(status) ? mergePatch(isJsonObject(before) ? before : {}, status) : status;
  const body = { metadata: { resourceVersion }, status: change };
  return await writer.patch(type, ref, { kind: 'merge', body }, { ...options, subresource: 'status' });
}
