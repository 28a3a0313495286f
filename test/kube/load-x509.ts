/**
 * Loads @peculiar/x509. Its injection container refuses to load unless `Reflect` can keep metadata, which it only
 * reads and writes for classes that ask for constructor injection; the certificate code has none of them.
 */
export async function loadX509(): Promise<typeof import('@peculiar/x509')> {
  if (!('getMetadata' in Reflect)) Object.assign(Reflect, metadataStore());
  return await import('@peculiar/x509');
}

function metadataStore() {
  const store = new WeakMap<object, Map<unknown, unknown>>(); // class -> metadata key -> value
  const getOwnMetadata = (key: unknown, target: object): unknown => store.get(target)?.get(key);
  return {
    getOwnMetadata,
    getMetadata(key: unknown, target: object): unknown {
      for (let holder: object | null = target; holder !== null; holder = Reflect.getPrototypeOf(holder)) {
        if (store.get(holder)?.has(key) === true) return getOwnMetadata(key, holder);
      }
      return undefined;
    },
    defineMetadata(key: unknown, value: unknown, target: object): void {
      const entries = store.get(target) ?? new Map<unknown, unknown>();
      store.set(target, entries.set(key, value));
    },
  };
}
