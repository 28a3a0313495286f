/** The annotation in which `kubectl apply` without `--server-side` keeps what it applied. */
import { field, isObject, type Json, type JsonObject, objectOf } from '../schema/json.ts';
import type { ManagedWrite } from './api.ts';
import { compareObjects } from './compare-objects.ts';
import { FieldSet } from './field-set.ts';
import { toFieldSet } from './to-field-set.ts';

const annotation = 'kubectl.kubernetes.io/last-applied-configuration';
/** All annotations of an object together may be so long. */
const maxLength = 262_144;

/** The fields that the annotation names and that the live object still has with the same value. */
export function lastAppliedFields({ live, schema, apiVersion }: ManagedWrite): FieldSet {
  const text = live === undefined ? undefined : annotationsOf(live)[annotation];
  const last = typeof text === 'string' ? parse(text) : undefined;
  if (live === undefined || last === undefined || last['apiVersion'] !== apiVersion) return FieldSet.empty;
  const { modified, added, removed } = compareObjects(schema, last, live);
  return toFieldSet(schema, last).difference(modified).difference(added).difference(removed);
}

/** Keeps an existing annotation true: it names what kubectl applied last, whichever way it did. */
export function withLastApplied(object: JsonObject, applied: JsonObject): JsonObject {
  const existing = annotationsOf(object)[annotation];
  if (typeof existing !== 'string' || existing === '') return object;
  const text = `${JSON.stringify(sorted(withAnnotation(applied, undefined)))}\n`;
  return withAnnotation(object, text.length > maxLength ? undefined : text);
}

function withAnnotation(object: JsonObject, text: string | undefined): JsonObject {
  const metadata = field(object, 'metadata');
  if (!isObject(metadata)) return object;
  const others = Object.entries(annotationsOf(object)).filter(([key]) => key !== annotation);
  const annotations = objectOf(text === undefined ? others : [...others, [annotation, text]]);
  return { ...object, metadata: { ...metadata, ...(Object.hasOwn(metadata, 'annotations') || text !== undefined ? { annotations } : {}) } };
}

function annotationsOf(object: JsonObject): JsonObject {
  const metadata = field(object, 'metadata');
  const annotations = isObject(metadata) ? field(metadata, 'annotations') : undefined;
  return isObject(annotations) ? annotations : {};
}

function parse(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function sorted(value: Json): Json {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isObject(value)) return value;
  return objectOf(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, child]) => [key, sorted(child)]),
  );
}
