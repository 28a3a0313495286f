import { noSuchResource } from '../../schema/api-status.ts';
import type { AnswerForm } from '../answer/media-types.ts';
import type { KindRegistry } from '../kinds/kind-registry.ts';
import { apiVersionOf, type ServedKind } from '../kinds/served-kind.ts';

/** Goes into an answer, where members that are undefined vanish. */
type Document = Readonly<Record<string, unknown>>;

/** The documents by which clients learn what is served. */
export class Discovery {
  readonly #registry: KindRegistry;

  constructor(registry: KindRegistry) {
    this.#registry = registry;
  }

  core(form: AnswerForm, server: string): Document {
    if (form.form === 'aggregated') return this.#aggregated((group) => group === '');
    return { kind: 'APIVersions', versions: ['v1'], serverAddressByClientCIDRs: [{ clientCIDR: '0.0.0.0/0', serverAddress: server }] };
  }

  groups(form: AnswerForm): Document {
    if (form.form === 'aggregated') return this.#aggregated((group) => group !== '');
    const groups = this.#registry
      .groups()
      .filter(({ name }) => name !== '')
      .map(({ name }) => this.group(name));
    return { kind: 'APIGroupList', apiVersion: 'v1', groups };
  }

  group(name: string): Document {
    const found = this.#registry.groups().find((each) => each.name === name && name !== '');
    if (found === undefined) throw noSuchResource();
    const versions = found.versions.map((version) => ({ groupVersion: apiVersionOf({ group: name, version }), version }));
    return { kind: 'APIGroup', apiVersion: 'v1', name, versions, preferredVersion: versions[0] ?? {} };
  }

  version(group: string, version: string): Document {
    const kinds = this.#registry.inVersion(group, version);
    if (kinds.length === 0) throw noSuchResource();
    return { kind: 'APIResourceList', apiVersion: 'v1', groupVersion: apiVersionOf({ group, version }), resources: kinds.flatMap(legacy) };
  }

  #aggregated(wanted: (group: string) => boolean): Document {
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

/** Empty lists are left out of the documents. */
const listed = <T>(list: readonly T[]): readonly T[] | undefined => (list.length === 0 ? undefined : list);

const aggregated = ({ group, version, kind, plural, singular, namespaced, verbs, ...more }: ServedKind): Document => ({
  resource: plural,
  responseKind: { group, version, kind },
  scope: namespaced ? 'Namespaced' : 'Cluster',
  singularResource: singular,
  verbs,
  shortNames: listed(more.shortNames),
  categories: listed(more.categories),
  subresources: listed(
    more.subresources.map((each) => ({
      subresource: each.name,
      responseKind: { group: each.group, version: each.version, kind: each.kind },
      verbs: each.verbs,
    })),
  ),
});

const legacy = ({ kind, plural, singular, namespaced, verbs, ...more }: ServedKind): Document[] => [
  {
    name: plural,
    singularName: singular,
    namespaced,
    kind,
    verbs,
    shortNames: listed(more.shortNames),
    categories: listed(more.categories),
  },
  ...more.subresources.map((each) => ({ ...each, name: `${plural}/${each.name}`, singularName: '', namespaced })),
];
