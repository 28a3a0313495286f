import type { Clock } from '@quartermaster/kernel';
import type { KindRegistry } from '../kinds/kind-registry.ts';
import { splitKey } from '../kinds/served-kind.ts';
import { jsonEqual, metaOf, objectAt, withFields } from '../object/api-object.ts';
import type { Store, StoredEvent } from '../store/store.ts';
import type { ObjectDeleter } from '../write/object-deleter.ts';
import type { ObjectWriter, WriteOptions } from '../write/object-writer.ts';

export const firstNamespaces = ['default', 'kube-node-lease', 'kube-public', 'kube-system'];

/** How long after its deletion a namespace is emptied. */
const noticeMs = 100;

/** As controllers write: by name, without anybody to warn. */
export const internalWrite: WriteOptions = {
  dryRun: false,
  manager: 'kube-controller-manager',
  fieldValidation: 'Ignore',
  warn: () => undefined,
};

export interface NamespaceLifecycleParts {
  readonly store: Store;
  readonly registry: KindRegistry;
  readonly writer: ObjectWriter;
  readonly deleter: ObjectDeleter;
  readonly clock: Clock;
  /** PEM, for the ConfigMap that every namespace has. */
  readonly certificateAuthority: string;
}

/** Gives a namespace what every one has, and empties it before it goes. */
export class NamespaceLifecycle {
  readonly #parts: NamespaceLifecycleParts;

  constructor(parts: NamespaceLifecycleParts) {
    this.#parts = parts;
  }

  /** What an event asks for; undefined when nothing. */
  workFor(event: StoredEvent): (() => void) | undefined {
    if (event.storageKey === '/namespaces') {
      if (event.type === 'ADDED') return () => this.#furnish(event.key);
      const isEnding = event.type === 'MODIFIED' && metaOf(event.object).deletionTimestamp !== undefined;
      return isEnding ? () => this.#emptySoon(event.key) : undefined;
    }
    if (event.type !== 'DELETED') return undefined;
    const { namespace } = splitKey(event.key);
    const found = namespace === undefined ? undefined : this.#parts.store.get('/namespaces', namespace);
    if (namespace === undefined || found === undefined || metaOf(found).deletionTimestamp === undefined) return undefined;
    return () => this.#empty(namespace);
  }

  #furnish(namespace: string): void {
    const { store, registry, writer, certificateAuthority } = this.#parts;
    if (store.get('/namespaces', namespace) === undefined) return;
    const make = (plural: string, name: string, fields: object): void => {
      const kind = registry.find('', 'v1', plural);
      if (kind === undefined || store.get(kind.storageKey, `${namespace}/${name}`) !== undefined) return;
      writer.create(kind, namespace, { metadata: { name }, ...fields }, internalWrite);
    };
    make('serviceaccounts', 'default', {});
    make('configmaps', 'kube-root-ca.crt', { data: { 'ca.crt': certificateAuthority } });
  }

  /** People and programs expect to see a namespace end, as it does with a real controller. */
  #emptySoon(namespace: string): void {
    this.#parts.clock.schedule(noticeMs, () => this.#empty(namespace));
  }

  #empty(namespace: string): void {
    const { store, registry, deleter } = this.#parts;
    const live = store.get('/namespaces', namespace);
    if (live === undefined || metaOf(live).deletionTimestamp === undefined) return;
    let left = 0;
    for (const storageKey of [...store.storageKeys]) {
      const kind = registry.byStorage(storageKey);
      if (kind === undefined || !kind.namespaced) continue;
      for (const [key, object] of [...store.collection(storageKey).range(`${namespace}/`)]) {
        const isMarked = metaOf(object).deletionTimestamp !== undefined;
        const isGone = !isMarked && deleter.delete(kind, splitKey(key), { dryRun: false, propagation: 'Background' }).gone;
        left += isGone ? 0 : 1;
      }
    }
    if (left === 0) this.#end(namespace);
  }

  #end(namespace: string): void {
    const { store } = this.#parts;
    const live = store.get('/namespaces', namespace);
    if (live === undefined) return;
    if ((metaOf(live).finalizers ?? []).length === 0) {
      store.remove('/namespaces', namespace);
      return;
    }
    const spec = withFields(objectAt(live, 'spec'), { finalizers: undefined });
    if (!jsonEqual(spec, objectAt(live, 'spec'))) store.put('/namespaces', namespace, { ...live, spec });
  }
}
