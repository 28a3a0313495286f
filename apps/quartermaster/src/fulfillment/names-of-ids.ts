import type { JsonObject } from '@bufbuild/protobuf';
import { StatusError } from '@quartermaster/kernel';
import type { ApiConnection } from './api-connection.ts';
import type { KindPlural } from './kind-names.ts';
import { entriesAt, isJsonObject, textAt } from './object-json.ts';
import { nameOf, readByIds } from './read-objects.ts';

/** Names of objects that others refer to by their ids. What is not known is shown as it is. */
export class NamesOfIds {
  readonly #connection: ApiConnection;
  readonly #known = new Map<KindPlural, Map<string, string>>(); // kind -> id -> name

  constructor(connection: ApiConnection) {
    this.#connection = connection;
  }

  name(kind: KindPlural, id: string): string {
    return this.#known.get(kind)?.get(id) ?? id;
  }

  /** Learns the names of what these objects refer to: one call for each kind of it, and none for what is known. */
  async learn(kind: KindPlural, objects: readonly JsonObject[]): Promise<void> {
    const wanted = new Map<KindPlural, Set<string>>(); // kind -> ids
    for (const object of objects) {
      for (const [to, id] of referencesOf(kind, object)) {
        if (id === '' || this.#known.get(to)?.has(id) === true) continue;
        const ids = wanted.get(to) ?? new Set();
        wanted.set(to, ids.add(id));
      }
    }
    await Promise.all([...wanted].map(([to, ids]) => this.#learnKind(to, [...ids])));
  }

  async #learnKind(kind: KindPlural, ids: readonly string[]): Promise<void> {
    const names = this.#known.get(kind) ?? new Map<string, string>();
    this.#known.set(kind, names);
    try {
      for (const object of await readByIds(await this.#connection.objects(kind), ids)) names.set(object.id, nameOf(object));
    } catch (thrown) {
      // Who may see one kind and not another reads the ids.
      if (!(thrown instanceof StatusError && thrown.code === 'permission_denied')) throw thrown;
    }
    for (const id of ids) if (!names.has(id)) names.set(id, id);
  }
}

type Reference = readonly [KindPlural, string];

function referencesOf(kind: KindPlural, object: JsonObject): readonly Reference[] {
  switch (kind) {
    case 'hosts':
      return [
        ['host-classes', textAt(object, 'spec.class')],
        ['clusters', textAt(object, 'status.cluster')],
        ['hubs', textAt(object, 'status.hub')],
      ];
    case 'clusters':
      return [
        ['cluster-templates', textAt(object, 'spec.template')],
        ['hubs', textAt(object, 'status.hub')],
        ...classesIn(object, 'spec.node_sets'),
      ];
    case 'cluster-templates':
      return classesIn(object, 'node_sets');
    case 'host-pools':
      return [['hubs', textAt(object, 'status.hub')], ...classesIn(object, 'spec.host_sets')];
    case 'host-classes':
    case 'hubs':
      return [];
  }
}

function classesIn(object: JsonObject, path: string): readonly Reference[] {
  return entriesAt(object, path).map(([, set]) => ['host-classes', isJsonObject(set) ? textAt(set, 'host_class') : ''] as const);
}
