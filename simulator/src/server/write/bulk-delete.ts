import { badRequest } from '../../schema/api-status.ts';
import type { KindRegistry } from '../kinds/kind-registry.ts';
import { keyOf } from '../kinds/served-kind.ts';
import { isObject, type JsonObject, metaOf } from '../object/api-object.ts';
import type { Store } from '../store/store.ts';
import type { ObjectDeleter } from './object-deleter.ts';

/** Many objects of one kind. */
export interface BulkDelete {
  readonly apiVersion: string;
  readonly kind: string;
  readonly objects: readonly { readonly namespace?: string | undefined; readonly name?: string | undefined }[];
}

export interface DeletedObjects {
  readonly deleted: number;
  /** Those that did not exist. */
  readonly absent: number;
}

/** Deletes each as a request with a grace period of zero would: one that has finalizers is marked and waits for them. */
export function deleteMany(
  { apiVersion, kind: kindName, objects }: BulkDelete,
  { store, registry, deleter }: { readonly store: Store; readonly registry: KindRegistry; readonly deleter: ObjectDeleter },
): DeletedObjects {
  const kind = registry.byKind(apiVersion, kindName);
  if (kind === undefined) throw badRequest(`no kind ${JSON.stringify(kindName)} is served in apiVersion ${JSON.stringify(apiVersion)}`);
  let deleted = 0;
  for (const { namespace, name = '' } of objects) {
    if (store.get(kind.storageKey, keyOf(kind.namespaced ? namespace : undefined, name)) === undefined) continue;
    deleter.delete(kind, { namespace, name }, { dryRun: false, gracePeriodSeconds: 0 });
    deleted += 1;
  }
  return { deleted, absent: objects.length - deleted };
}

/** What a request says to delete. */
export function parseBulkDelete(body: JsonObject): BulkDelete {
  const { apiVersion, kind, objects } = body;
  if (typeof apiVersion !== 'string' || typeof kind !== 'string') throw badRequest('apiVersion and kind: must be strings');
  if (!Array.isArray(objects) || !objects.every(isObject)) throw badRequest('objects: must be a list of objects with a name');
  return { apiVersion, kind, objects: objects.map((metadata) => metaOf({ metadata })) };
}
