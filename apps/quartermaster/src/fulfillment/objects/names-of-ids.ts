import type { JsonObject } from '@bufbuild/protobuf';
import { StatusError } from '@quartermaster/kernel';
import { entriesAt, isJsonObject, textAt } from '../../text/json-path.ts';
import type { KindPlural } from '../kinds/kind.ts';
import { kindNamed } from '../kinds/kinds.ts';
import type { ApiConnection } from './api-connection.ts';
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

function referencesOf(plural: KindPlural, object: JsonObject): readonly Reference[] {
  const { references, sets } = kindNamed(plural);
  const classes = sets === undefined ? [] : entriesAt(object, sets).map(([, set]) => (isJsonObject(set) ? textAt(set, 'host_class') : ''));
  return [...references.map(([path, to]) => [to, textAt(object, path)] as const), ...classes.map((id) => ['host-classes', id] as const)];
}
