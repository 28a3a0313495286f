import type { Source } from '@quartermaster/controller';

/** Tells of keys whenever it is asked, which full passes do. */
export function askedSource(keys: () => Iterable<string>): Source {
  const visitAll: Source['visitAll'] = (listener) => {
    for (const key of keys()) listener.key(key);
  };
  return {
    isSynced: () => true,
    whenSynced: async () => {},
    subscribe: (listener) => {
      visitAll(listener);
      return () => {};
    },
    visitAll,
  };
}
