import type { Random } from '@quartermaster/kernel';
import { badRequest, invalid } from '../../schema/api-status.ts';
import { isArray, isObject, type Json, type JsonObject, objectOf } from '../../schema/json.ts';
import type { KindRegistry } from '../kinds/kind-registry.ts';
import { metadataProblems } from '../kinds/metadata-rules.ts';
import { readFields } from '../kinds/schema-checks.ts';
import { keyOf, type ServedKind } from '../kinds/served-kind.ts';
import { metaOf, objectAt } from '../object/api-object.ts';
import { storable } from '../store/object-reader.ts';
import type { NewObject, Store } from '../store/store.ts';
import { newUid } from './new-identity.ts';
import type { ObjectWriter, WriteOptions } from './object-writer.ts';

/** Many objects of one kind that differ in a few fields. */
export interface BulkLoad {
  /** A complete object, with its status. */
  readonly model: JsonObject;
  /** What is different: fields of `metadata`, with the name, of `spec` and of `status`. Each replaces the model's as a whole. */
  readonly variations: readonly JsonObject[];
}

export interface LoadedObjects {
  readonly loaded: number;
  /** Those that existed; they stay as they are. */
  readonly present: number;
}

export interface BulkLoadParts {
  readonly store: Store;
  readonly registry: KindRegistry;
  readonly writer: ObjectWriter;
  readonly random: Random;
}

const loadWrite: WriteOptions = { dryRun: false, manager: 'quartermaster-simulator', fieldValidation: 'Strict', warn: () => undefined };
const variedMetadata = new Set(['namespace', 'name', 'labels', 'annotations']);

/**
 * Stores many similar objects at the price of one. The model passes everything that a create and a write of its status pass; of the
 * others only what is different is read and checked. All share the rest in memory, and also the record of who owns which field:
 * what differs belongs to nobody. All or nothing: throws what a create of the first wrong one would.
 */
export function loadMany({ model, variations }: BulkLoad, { registry, store, writer, random }: BulkLoadParts): LoadedObjects {
  const { apiVersion, kind: kindName } = model;
  const kind = registry.byKind(String(apiVersion), String(kindName));
  if (kind === undefined) throw badRequest(`no kind ${JSON.stringify(kindName)} is served in apiVersion ${JSON.stringify(apiVersion)}`);
  const [first] = variations;
  if (first === undefined) return { loaded: 0, present: 0 };
  const named = { ...model, metadata: { ...objectAt(model, 'metadata'), ...identityOf(first) } };
  const made = store.parts.shareAll(storable(kind, writer.model(kind, named, loadWrite)));
  const texts = new Map<string, string>(); // a text -> the one copy of it that is kept
  const found = new Map<string, JsonObject>(); // key -> object
  for (const variation of variations) {
    // What is built like the first one needs no reading by the schema: that has passed it.
    const isRead = variation !== first && isAlike(first, variation);
    const own = sharing(isRead ? variation : readVariation(kind, variation), texts) as JsonObject;
    const { namespace, name = '' } = metaOf(own);
    checkIdentity(kind, own, store);
    const key = keyOf(kind.namespaced ? namespace : undefined, name);
    if (found.has(key)) throw badRequest(`${kind.plural} ${key} is in the load twice: give each object a name of its own`);
    if (store.get(kind.storageKey, key) === undefined) found.set(key, varied(made, own, newUid(random)));
  }
  store.putNew(
    kind.storageKey,
    [...found].map(([key, object]): NewObject => ({ key, object })),
  );
  return { loaded: found.size, present: variations.length - found.size };
}

const varied = (made: JsonObject, { metadata, spec, status }: JsonObject, uid: string): JsonObject => ({
  ...made,
  metadata: { ...objectAt(made, 'metadata'), ...(isObject(metadata) ? metadata : {}), uid },
  ...(isObject(spec) ? { spec: { ...objectAt(made, 'spec'), ...spec } } : {}),
  ...(isObject(status) ? { status: { ...objectAt(made, 'status'), ...status } } : {}),
});

function checkIdentity(kind: ServedKind, object: JsonObject, store: Store): void {
  const { namespace = '', name = '' } = metaOf(object);
  const causes = metadataProblems(kind, object);
  if (causes.length > 0) throw invalid(kind, name, causes);
  if (kind.namespaced && store.get('/namespaces', namespace) === undefined)
    throw badRequest(
      `metadata.namespace: ${kind.plural} need a namespace that exists, and ${JSON.stringify(namespace)} does not: load it first`,
    );
}

function identityOf(variation: JsonObject): JsonObject {
  const { namespace, name = '' } = metaOf(variation);
  return { ...(namespace === undefined ? {} : { namespace }), name };
}

function readVariation(kind: ServedKind, variation: JsonObject): JsonObject {
  const unknown = Object.keys(objectAt(variation, 'metadata')).find((field) => !variedMetadata.has(field));
  if (unknown !== undefined) throw badRequest(`metadata.${unknown} cannot vary: only ${[...variedMetadata].join(', ')} can`);
  return readFields(kind, variation, loadWrite);
}

/** Whether two values have the same fields with values of the same types. */
function isAlike(a: Json, b: Json): boolean {
  if (isArray(a)) return isArray(b) && a.length === b.length && a.every((item, index) => isAlike(item, b[index] ?? null));
  if (!isObject(a) || !isObject(b)) return typeof a === typeof b && a !== null && b !== null && !isArray(b);
  const fields = Object.keys(a);
  return (
    fields.length === Object.keys(b).length &&
    fields.every((field) => Object.hasOwn(b, field) && isAlike(a[field] ?? null, b[field] ?? null))
  );
}

/** The same value with one copy of each text: similar objects have most of them in common. */
function sharing(value: Json, texts: Map<string, string>): Json {
  if (typeof value === 'string') {
    const known = texts.get(value);
    if (known === undefined) texts.set(value, value);
    return known ?? value;
  }
  if (isArray(value)) return value.map((item) => sharing(item, texts));
  return isObject(value) ? objectOf(Object.entries(value).map(([field, child]) => [field, sharing(child, texts)])) : value;
}

/** What a request says to load. */
export function parseBulkLoad(body: JsonObject): BulkLoad {
  const { model, variations } = body;
  if (!isObject(model)) throw badRequest('model: must be an object with apiVersion and kind');
  if (!Array.isArray(variations) || !variations.every(isObject)) throw badRequest('variations: must be a list of objects');
  return { model, variations };
}
