import { type Source, sourceOf } from '@quartermaster/controller';
import { type Cache, type CacheOpener, kinds } from '@quartermaster/kube';
import type { ApiServerEndpoint } from '../objects/desired.ts';

/** Where the API server of the cluster is reached from pods, and which networks its Services have. */
export class SeenApiServers {
  /** Wakes nobody: it is there to be waited for. */
  readonly source: Source;
  readonly #slices: Cache<readonly ApiServerEndpoint[]>;
  readonly #cidrs: Cache<readonly string[]>;

  constructor(caches: CacheOpener) {
    this.#slices = caches.open({
      name: 'endpoints of the API server',
      type: kinds.endpointSlices,
      namespace: 'default',
      labelSelector: 'kubernetes.io/service-name=kubernetes',
      project: ({ endpoints = [], ports = [] }): readonly ApiServerEndpoint[] =>
        endpoints.flatMap(({ addresses }) =>
          addresses.flatMap((address) => (ports ?? []).flatMap(({ port }) => (port === undefined ? [] : [{ address, port }]))),
        ),
    });
    this.source = sourceOf(this.#slices, () => []);
    this.#cidrs = caches.open({
      name: 'networks of Services',
      type: kinds.serviceCIDRs,
      project: ({ spec }): readonly string[] => spec?.cidrs ?? [],
    });
  }

  /** By address: the same order makes the same objects. Undefined until they were read. */
  endpoints(): readonly ApiServerEndpoint[] | undefined {
    if (!this.#slices.status().synced) return undefined;
    const all = [...this.#slices.entries()].flatMap(({ value }) => value);
    return all.toSorted((a, b) => (a.address === b.address ? a.port - b.port : a.address < b.address ? -1 : 1));
  }

  /** Undefined until they were read. A server that does not know the kind has none to tell. */
  serviceCidrs(): readonly string[] | undefined {
    const { synced, absent } = this.#cidrs.status();
    if (!synced && !absent) return undefined;
    return [...new Set([...this.#cidrs.entries()].flatMap(({ value }) => value))].sort();
  }

  /** What nobody may read, although no object of a lease is made without it; with the way out. */
  problem(): string | undefined {
    const read = { endpointslices: this.#slices, servicecidrs: this.#cidrs };
    const [kind] = Object.entries(read).find(([, cache]) => cache.status().refused && !cache.status().synced) ?? [];
    if (kind === undefined) return undefined;
    return `new and changed leases are not deployed, because the service may not read ${kind}: apply what \`quartermaster manifests service-cluster --with market-rbac\` prints`;
  }
}
