import type { Clock } from '@quartermaster/kernel';
import type { SubresourceInfo } from '../../schema/built-in-data.ts';
import { crdSchema } from '../../schema/index.ts';
import type { KindRegistry } from '../kinds/kind-registry.ts';
import { type CustomKind, type ServedKind, splitKey } from '../kinds/served-kind.ts';
import { type Json, type JsonObject, jsonEqual, listAt, metaOf, objectAt, rfc3339, textAt, withMeta } from '../object/api-object.ts';
import type { Store, StoredEvent } from '../store/store.ts';
import type { ObjectDeleter } from '../write/object-deleter.ts';

const definitions = 'apiextensions.k8s.io/customresourcedefinitions';
const cleanup = 'customresourcecleanup.apiextensions.k8s.io';
const verbs = ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch'];

/** Serves the kinds of CustomResourceDefinitions while they exist, and takes their objects away with them. */
export class DefinitionLifecycle {
  readonly #store: Store;
  readonly #registry: KindRegistry;
  readonly #deleter: ObjectDeleter;
  readonly #clock: Clock;

  constructor(store: Store, registry: KindRegistry, deleter: ObjectDeleter, clock: Clock) {
    this.#store = store;
    this.#registry = registry;
    this.#deleter = deleter;
    this.#clock = clock;
  }

  /** Serves what is there already, at start. */
  resume(): void {
    for (const [key] of [...this.#store.collection(definitions).range('')]) this.#serve(key);
  }

  /** What an event asks for; undefined when nothing. */
  workFor(event: StoredEvent): (() => void) | undefined {
    if (event.storageKey !== definitions) {
      const owner = event.type === 'DELETED' ? this.#registry.byStorage(event.storageKey)?.custom?.definition : undefined;
      return owner === undefined ? undefined : () => this.#empty(owner);
    }
    if (event.type === 'DELETED') return () => this.#withdraw(event.key, event.object);
    if (metaOf(event.object).deletionTimestamp !== undefined) return () => this.#empty(event.key);
    const isSame = event.previous !== undefined && jsonEqual(event.previous['spec'], event.object['spec']);
    return isSame ? undefined : () => this.#serve(event.key);
  }

  #serve(name: string): void {
    const definition = this.#store.get(definitions, name);
    if (definition === undefined) return;
    const conflicting = this.#conflict(definition);
    this.#registry.removeDefinition(name);
    if (!conflicting) for (const kind of servedKinds(definition)) this.#registry.add(kind);
    const status = this.#status(definition, conflicting);
    const finalizers = [...new Set([...(metaOf(definition).finalizers ?? []), cleanup])];
    const accepted = withMeta({ ...definition, status }, { finalizers });
    if (!jsonEqual(accepted, definition)) this.#store.put(definitions, name, accepted);
  }

  #conflict(definition: JsonObject): boolean {
    const { name = '' } = metaOf(definition);
    const [group, kind] = [textAt(definition, 'spec', 'group'), textAt(definition, 'spec', 'names', 'kind')];
    return this.#registry.all().some((each) => each.group === group && each.kind === kind && each.custom?.definition !== name);
  }

  #status(definition: JsonObject, conflicting: boolean): JsonObject {
    const spec = objectAt(definition, 'spec');
    const stored = listAt(spec, 'versions')
      .filter(({ storage }) => storage === true)
      .map((version) => textAt(version, 'name'));
    const before = objectAt(definition, 'status')['storedVersions'] as readonly Json[] | undefined;
    const condition = (type: string, reason: string, message: string): JsonObject => {
      const old = listAt(definition, 'status', 'conditions').find((each) => each['type'] === type);
      const status = conflicting ? 'False' : 'True';
      const since = old?.['status'] === status ? textAt(old, 'lastTransitionTime') : rfc3339(this.#clock.now());
      return { type, status, lastTransitionTime: since, reason, message };
    };
    return {
      conditions: conflicting
        ? [
            condition('NamesAccepted', 'MultipleNamesInUse', 'another kind of the group has these names'),
            condition('Established', 'NotAccepted', 'not all names are accepted'),
          ]
        : [
            condition('NamesAccepted', 'NoConflicts', 'no conflicts found'),
            condition('Established', 'InitialNamesAccepted', 'the initial names have been accepted'),
          ],
      acceptedNames: objectAt(spec, 'names'),
      storedVersions: [...new Set([...(before ?? []), ...stored])],
    };
  }

  #empty(name: string): void {
    const definition = this.#store.get(definitions, name);
    if (definition === undefined || metaOf(definition).deletionTimestamp === undefined) return;
    const kind = this.#registry.all().find((each) => each.custom?.definition === name);
    if (kind !== undefined) {
      for (const [key, object] of [...this.#store.collection(kind.storageKey).range('')]) {
        if (metaOf(object).deletionTimestamp === undefined) this.#deleter.delete(kind, splitKey(key), { dryRun: false });
      }
      if (this.#store.collection(kind.storageKey).size > 0) return;
    }
    const finalizers = (metaOf(definition).finalizers ?? []).filter((each) => each !== cleanup);
    if (finalizers.length > 0) this.#store.put(definitions, name, withMeta(definition, { finalizers }));
    else this.#store.remove(definitions, name);
  }

  #withdraw(name: string, definition: JsonObject): void {
    this.#registry.removeDefinition(name);
    this.#store.drop(`${textAt(definition, 'spec', 'group')}/${textAt(definition, 'spec', 'names', 'plural')}`);
  }
}

function servedKinds(definition: JsonObject): ServedKind[] {
  const spec = objectAt(definition, 'spec');
  const versions = listAt(spec, 'versions');
  const storage = versions.find((version) => version['storage'] === true);
  return versions.filter(({ served }) => served === true).map((version) => servedKind(definition, version, textAt(storage, 'name')));
}

function servedKind(definition: JsonObject, version: JsonObject, storageVersion: string): ServedKind {
  const spec = objectAt(definition, 'spec');
  const names = objectAt(spec, 'names');
  const [group, plural, kind] = [textAt(spec, 'group'), textAt(names, 'plural'), textAt(names, 'kind')];
  const texts = (field: string): readonly string[] => (names[field] ?? []) as readonly string[];
  const openApi = objectAt(version, 'schema', 'openAPIV3Schema');
  return {
    group,
    version: textAt(version, 'name'),
    kind,
    plural,
    singular: textAt(names, 'singular') || kind.toLowerCase(),
    listKind: textAt(names, 'listKind') || `${kind}List`,
    namespaced: textAt(spec, 'scope') === 'Namespaced',
    verbs,
    shortNames: texts('shortNames'),
    categories: texts('categories'),
    subresources: subresourcesOf(version, { group, version: textAt(version, 'name'), kind }),
    schema: crdSchema(openApi),
    storageKey: `${group}/${plural}`,
    custom: customOf(definition, version, storageVersion, openApi),
  };
}

function subresourcesOf(version: JsonObject, own: Pick<SubresourceInfo, 'group' | 'version' | 'kind'>): SubresourceInfo[] {
  const subresources = objectAt(version, 'subresources');
  const some = ['get', 'patch', 'update'];
  return [
    ...('status' in subresources ? [{ name: 'status', ...own, verbs: some }] : []),
    ...('scale' in subresources ? [{ name: 'scale', group: 'autoscaling', version: 'v1', kind: 'Scale', verbs: some }] : []),
  ];
}

function customOf(definition: JsonObject, version: JsonObject, storageVersion: string, openApi: JsonObject): CustomKind {
  const scale = objectAt(version, 'subresources', 'scale');
  const path = (field: string): string[] =>
    textAt(scale, field)
      .split('.')
      .filter((step) => step !== '');
  return {
    definition: metaOf(definition).name ?? '',
    storageVersion,
    openApi,
    columns: listAt(version, 'additionalPrinterColumns'),
    selectableFields: listAt(version, 'selectableFields').map((each) => textAt(each, 'jsonPath').replace(/^\./, '')),
    scale:
      Object.keys(scale).length === 0
        ? undefined
        : { specReplicas: path('specReplicasPath'), statusReplicas: path('statusReplicasPath'), selector: path('labelSelectorPath') },
  };
}
