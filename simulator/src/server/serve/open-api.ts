import { noSuchResource } from '../../schema/api-status.ts';
import type { SchemaNode } from '../../schema/schema-node.ts';
import type { KindRegistry } from '../kinds/kind-registry.ts';
import type { ServedKind } from '../kinds/served-kind.ts';

/** Goes into an answer, where members that are undefined vanish. */
type Document = Readonly<Record<string, unknown>>;

/** Types refer to themselves; below this depth a document says no more. */
const maxDepth = 14;
const info = { title: 'Quartermaster simulator of the Kubernetes API', version: 'v1.36.0' };

/** The documents below /openapi/v3, as far as kubectl looks at them: parameters of writes, and the fields of kinds. */
export class OpenApi {
  readonly #registry: KindRegistry;

  constructor(registry: KindRegistry) {
    this.#registry = registry;
  }

  index(): Document {
    const paths = this.#registry
      .groups()
      .flatMap(({ name, versions }) => versions.map((version) => (name === '' ? `api/${version}` : `apis/${name}/${version}`)));
    const hash = String(this.#registry.changes);
    return { paths: Object.fromEntries(paths.map((path) => [path, { serverRelativeURL: `/openapi/v3/${path}?hash=${hash}` }])) };
  }

  /** The document of one version of a group. */
  document(group: string, version: string): Document {
    const kinds = this.#registry.inVersion(group, version);
    if (kinds.length === 0) throw noSuchResource();
    return {
      openapi: '3.0.0',
      info,
      paths: Object.fromEntries(kinds.flatMap(pathsOf)),
      components: { schemas: Object.fromEntries(kinds.map((kind) => [schemaName(kind), schemaOf(kind)])) },
    };
  }
}

const gvkOf = ({ group, version, kind }: ServedKind): Document => ({ group, version, kind });

/** Reverse-domain names, as Kubernetes gives them. */
const schemaName = ({ group, version, kind }: ServedKind): string =>
  [...(group === '' ? ['core'] : group.split('.').reverse()), version, kind].join('.');

function schemaOf(kind: ServedKind): Document {
  const schema = kind.custom === undefined ? fromNode(kind.schema, maxDepth) : { ...kind.custom.openApi, ...metadataOf(kind) };
  return { ...schema, 'x-kubernetes-group-version-kind': [gvkOf(kind)] };
}

function metadataOf({ custom, schema }: ServedKind): Document {
  const metadata = schema.properties?.['metadata'];
  const own = (custom?.openApi['properties'] ?? {}) as Document;
  const text = { type: 'string' };
  return {
    properties: { ...own, apiVersion: text, kind: text, metadata: metadata === undefined ? { type: 'object' } : fromNode(metadata, 4) },
  };
}

function fromNode(node: SchemaNode, depth: number): Document {
  const { properties = {}, items, additional } = depth === 0 ? {} : node;
  const isText = node.type === 'int-or-string' || node.type === 'quantity';
  const below = Object.entries(properties).map(([name, child]): [string, Document] => [name, fromNode(child, depth - 1)]);
  return {
    type: node.type === 'any' ? undefined : isText ? 'string' : node.type,
    properties: below.length === 0 ? undefined : Object.fromEntries(below),
    items: items === undefined ? undefined : fromNode(items, depth - 1),
    additionalProperties: additional === undefined ? undefined : fromNode(additional, depth - 1),
    required: node.required,
    'x-kubernetes-patch-merge-key': node.patchMergeKey,
    'x-kubernetes-patch-strategy': node.patchStrategy?.join(','),
    'x-kubernetes-list-type': node.listType,
    'x-kubernetes-list-map-keys': node.listMapKeys,
  };
}

function pathsOf(kind: ServedKind): [string, Document][] {
  const root = kind.group === '' ? `/api/${kind.version}` : `/apis/${kind.group}/${kind.version}`;
  const collection = `${root}${kind.namespaced ? '/namespaces/{namespace}' : ''}/${kind.plural}`;
  const query = (name: string): Document => ({ name, in: 'query', schema: { type: 'string' } });
  const write = (verb: string): Document => ({
    'x-kubernetes-action': verb,
    'x-kubernetes-group-version-kind': gvkOf(kind),
    parameters: ['dryRun', 'fieldManager', 'fieldValidation', ...(verb === 'patch' ? ['force'] : [])].map(query),
    responses: { '200': { description: 'OK' } },
  });
  return [
    [collection, { post: write('post') }],
    [`${collection}/{name}`, { put: write('put'), patch: write('patch') }],
  ];
}
