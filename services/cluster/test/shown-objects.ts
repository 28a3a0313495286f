import { type CacheEntry, type CacheOpener, type CacheOptions, type KubeObject, keyText } from '@quartermaster/kube';

/**
 * Caches of objects that do not change, as the API server would list them: plural of the kind -> objects. A kind that is not there was not read yet, and what is
 * named as stale is not being followed.
 */
export const shownObjects = (objects: Readonly<Record<string, readonly KubeObject[]>>, stale: readonly string[] = []): CacheOpener =>
  ({
    open: ({ type, name = type.plural, project, indexes = {} }: CacheOptions<KubeObject, unknown>) => {
      const shown = (objects[type.plural] ?? []).map((object): CacheEntry<unknown> => {
        const { namespace, name: own = '', uid = '', resourceVersion = '1' } = object.metadata ?? {};
        const key = keyText(namespace === undefined ? { name: own } : { namespace, name: own });
        return { key, uid, resourceVersion, value: project(object) };
      });
      return {
        name,
        get: (key: string) => shown.find((entry) => entry.key === key),
        entries: () => shown.values(),
        byIndex: (index: string, value: string) => shown.filter((entry) => [...(indexes[index]?.(entry) ?? [])].includes(value)),
        subscribe: () => () => {},
        status: () => ({ synced: objects[type.plural] !== undefined, absent: false }),
        stale: () =>
          stale.includes(type.plural) ? { source: name, lastContactAt: undefined, reason: `${name} are not followed` } : undefined,
        whenSynced: async () => {},
      };
    },
  }) as unknown as CacheOpener;
