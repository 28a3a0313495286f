import type { KindRegistry } from '../kinds/kind-registry.ts';
import { keyOf, splitKey } from '../kinds/served-kind.ts';
import { type JsonObject, metaOf, type OwnerReference, withMeta } from '../object/api-object.ts';
import type { ObjectAddress, Store, StoredEvent } from '../store/store.ts';
import { foregroundFinalizer, holdsContent, type ObjectDeleter, orphanFinalizer } from '../write/object-deleter.ts';

/**
 * Follows owner references. An object goes when all its owners are gone. An owner that is deleted in the foreground waits for
 * the dependents that block it; one whose dependents shall be orphaned waits until they have forgotten it.
 */
export class GarbageCollector {
  readonly #store: Store;
  readonly #registry: KindRegistry;
  readonly #deleter: ObjectDeleter;

  constructor(store: Store, registry: KindRegistry, deleter: ObjectDeleter) {
    this.#store = store;
    this.#registry = registry;
    this.#deleter = deleter;
  }

  /** What an event asks for; undefined when nothing. */
  workFor(event: StoredEvent): (() => void) | undefined {
    const { uid = '', ownerReferences = [], finalizers = [], deletionTimestamp } = metaOf(event.object);
    if (event.type === 'DELETED') {
      const owners = ownerReferences.filter(({ blockOwnerDeletion }) => blockOwnerDeletion === true);
      if (owners.length === 0 && this.#store.dependentsOf(uid).length === 0) return undefined;
      return () => {
        for (const address of this.#store.dependentsOf(uid)) this.#collect(address);
        for (const owner of owners) this.#tryForeground(owner, splitKey(event.key).namespace);
      };
    }
    if (event.type === 'ADDED' && ownerReferences.length > 0) return () => this.#collect(event);
    if (deletionTimestamp === undefined) return undefined;
    if (finalizers.includes(orphanFinalizer)) return () => this.#orphan(event, uid);
    return finalizers.includes(foregroundFinalizer) ? () => this.#foreground(event) : undefined;
  }

  /** Deletes an object without a living owner, or removes the references to those that are gone. */
  #collect({ storageKey, key }: ObjectAddress): void {
    const [object, kind] = [this.#store.get(storageKey, key), this.#registry.byStorage(storageKey)];
    if (object === undefined || kind === undefined) return;
    const { ownerReferences = [], deletionTimestamp } = metaOf(object);
    const { namespace, name } = splitKey(key);
    const living = ownerReferences.filter((reference) => this.#findOwner(reference, namespace) !== undefined);
    if (ownerReferences.length === 0 || living.length === ownerReferences.length || deletionTimestamp !== undefined) return;
    if (living.length > 0) this.#store.put(storageKey, key, withMeta(object, { ownerReferences: living }));
    else this.#deleter.delete(kind, { namespace, name }, { dryRun: false, propagation: 'Background' });
  }

  #foreground({ storageKey, key }: ObjectAddress): void {
    const owner = this.#store.get(storageKey, key);
    if (owner === undefined) return;
    const { uid = '', finalizers = [] } = metaOf(owner);
    if (!finalizers.includes(foregroundFinalizer)) return;
    const dependents = this.#store.dependentsOf(uid);
    for (const address of dependents) this.#deleteInForeground(address);
    const blocking = this.#store.dependentsOf(uid).filter((address) => this.#blocks(address, uid));
    if (blocking.length === 0) this.#release({ storageKey, key }, foregroundFinalizer);
  }

  #deleteInForeground({ storageKey, key }: ObjectAddress): void {
    const [object, kind] = [this.#store.get(storageKey, key), this.#registry.byStorage(storageKey)];
    if (object === undefined || kind === undefined || metaOf(object).deletionTimestamp !== undefined) return;
    const { uid = '' } = metaOf(object);
    const propagation = this.#store.dependentsOf(uid).length > 0 ? 'Foreground' : undefined;
    this.#deleter.delete(kind, splitKey(key), { dryRun: false, propagation });
  }

  #blocks({ storageKey, key }: ObjectAddress, uid: string): boolean {
    const object = this.#store.get(storageKey, key);
    const references = object === undefined ? [] : (metaOf(object).ownerReferences ?? []);
    return references.some((reference) => reference.uid === uid && reference.blockOwnerDeletion === true);
  }

  #tryForeground(reference: OwnerReference, namespace: string | undefined): void {
    const owner = this.#findOwner(reference, namespace);
    if (owner !== undefined) this.#foreground(owner.address);
  }

  #orphan(address: ObjectAddress, uid: string): void {
    for (const { storageKey, key } of this.#store.dependentsOf(uid)) {
      const object = this.#store.get(storageKey, key);
      if (object === undefined) continue;
      const left = (metaOf(object).ownerReferences ?? []).filter((reference) => reference.uid !== uid);
      this.#store.put(storageKey, key, withMeta(object, { ownerReferences: left.length === 0 ? undefined : left }));
    }
    this.#release(address, orphanFinalizer);
  }

  /** Takes a finalizer away; the object goes when it was the last. */
  #release({ storageKey, key }: ObjectAddress, finalizer: string): void {
    const object = this.#store.get(storageKey, key);
    if (object === undefined) return;
    const { finalizers = [], deletionGracePeriodSeconds = 0 } = metaOf(object);
    const left = finalizers.filter((each) => each !== finalizer);
    if (left.length === 0 && deletionGracePeriodSeconds === 0 && !holdsContent({ storageKey }, object)) this.#store.remove(storageKey, key);
    else this.#store.put(storageKey, key, withMeta(object, { finalizers: left.length === 0 ? undefined : left }));
  }

  #findOwner(
    { apiVersion, kind, name, uid }: OwnerReference,
    namespace: string | undefined,
  ): { readonly address: ObjectAddress; readonly object: JsonObject } | undefined {
    const served = this.#registry.byKind(apiVersion, kind);
    if (served === undefined) return undefined;
    const key = keyOf(served.namespaced ? (namespace ?? '') : undefined, name);
    const object = this.#store.get(served.storageKey, key);
    return object !== undefined && metaOf(object).uid === uid ? { address: { storageKey: served.storageKey, key }, object } : undefined;
  }
}
