import { noSuchResource } from '../../schema/api-status.ts';
import type { AnswerForm } from '../answer/media-types.ts';
import type { KindRegistry } from '../kinds/kind-registry.ts';
import { apiVersionOf, type ServedKind } from '../kinds/served-kind.ts';
import type { JsonObject } from '../object/api-object.ts';

/** The documents by which clients learn what is served. */
export class Discovery {
  readonly #registry: KindRegistry;

  constructor(registry: KindRegistry) {
    this.#registry = registry;
  }

  core(form: AnswerForm, server: string): JsonObject {
    if (form.form === 'aggregated') return this.#aggregated((group) => group === '');
    return { kind: 'APIVersions', versions: ['v1'], serverAddressByClientCIDRs: [{ clientCIDR: '0.0.0.0/0', serverAddress: server }] };
  }

  groups(form: AnswerForm): JsonObject {
    if (form.form === 'aggregated') return this.#aggregated((group) => group !== '');
    const groups = this.#registry
      .groups()
      .filter(({ name }) => name !== '')
      .map(({ name }) => this.group(name));
    return { kind: 'APIGroupList', apiVersion: 'v1', groups };
  }

  group(name: string): JsonObject {
    const found = this.#registry.groups().find((each) => each.name === name && name !== '');
    if (found === undefined) throw noSuchResource();
    const versions = found.versions.map((version) => ({ groupVersion: apiVersionOf({ group: name, version }), version }));
    return { kind: 'APIGroup', apiVersion: 'v1', name, versions, preferredVersion: versions[0] ?? {} };
  }

  version(group: string, version: string): JsonObject {
    const kinds = this.#registry.inVersion(group, version);
    if (kinds.length === 0) throw noSuchResource();
    return { kind: 'APIResourceList', apiVersion: 'v1', groupVersion: apiVersionOf({ group, version }), resources: kinds.flatMap(legacy) };
  }

  #aggregated(wanted: (group: string) => boolean): JsonObject {
    const items = this.#registry
      .groups()
      .filter(({ name }) => wanted(name))
      .map(({ name, versions }) => ({
        metadata: { name, creationTimestamp: null },
        versions: versions.map((each) => ({
          version: each,
          resources: this.#registry.inVersion(name, each).map(aggregated),
          freshness: 'Current',
        })),
      }));
    return { kind: 'APIGroupDiscoveryList', apiVersion: 'apidiscovery.k8s.io/v2', metadata: {}, items };
  }
}

function aggregated(kind: ServedKind): JsonObject {
  const { group, version } = kind;
  return {
    resource: kind.plural,
    responseKind: { group, version, kind: kind.kind },
    scope: kind.namespaced ? 'Namespaced' : 'Cluster',
    singularResource: kind.singular,
    verbs: kind.verbs,
    ...(kind.shortNames.length === 0 ? {} : { shortNames: kind.shortNames }),
    ...(kind.categories.length === 0 ? {} : { categories: kind.categories }),
    ...(kind.subresources.length === 0
      ? {}
      : {
          subresources: kind.subresources.map((each) => ({
            subresource: each.name,
            responseKind: { group: each.group, version: each.version, kind: each.kind },
            verbs: each.verbs,
          })),
        }),
  };
}

function legacy(kind: ServedKind): JsonObject[] {
  const own: JsonObject = {
    name: kind.plural,
    singularName: kind.singular,
    namespaced: kind.namespaced,
    kind: kind.kind,
    verbs: kind.verbs,
    ...(kind.shortNames.length === 0 ? {} : { shortNames: kind.shortNames }),
    ...(kind.categories.length === 0 ? {} : { categories: kind.categories }),
  };
  const below = kind.subresources.map(
    (each): JsonObject => ({
      name: `${kind.plural}/${each.name}`,
      singularName: '',
      namespaced: kind.namespaced,
      group: each.group,
      version: each.version,
      kind: each.kind,
      verbs: each.verbs,
    }),
  );
  return [own, ...below];
}
