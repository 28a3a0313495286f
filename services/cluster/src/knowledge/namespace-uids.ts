import { type Cache, type CacheOpener, kinds } from '@quartermaster/kube';

/** Which namespace has a name now. One that is made again under its name is another one. */
export class NamespaceUids {
  readonly #cache: Cache<undefined>;

  constructor(caches: CacheOpener) {
    this.#cache = caches.open({ type: kinds.namespaces, fields: {}, project: () => undefined });
  }

  /** Undefined while nobody knows. */
  of(name: string): string | undefined {
    return this.#cache.get(name)?.uid;
  }

  /** Told of every name whose namespace is another one now. Returns what ends it. */
  subscribe(changed: (name: string) => void): () => void {
    return this.#cache.subscribe({ added: ({ key }) => changed(key), deleted: ({ key }) => changed(key) });
  }

  async stop(): Promise<void> {
    await this.#cache.stop();
  }
}
