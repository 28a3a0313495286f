import { isObject, type Json, type JsonObject } from '../../schema/json.ts';

export { isObject, type Json, type JsonObject, jsonEqual } from '../../schema/json.ts';

/** What the server itself reads and writes of an object's metadata. */
export interface ObjectMeta {
  readonly name?: string | undefined;
  readonly generateName?: string | undefined;
  readonly namespace?: string | undefined;
  readonly uid?: string | undefined;
  readonly resourceVersion?: string | undefined;
  readonly generation?: number | undefined;
  readonly creationTimestamp?: string | undefined;
  readonly deletionTimestamp?: string | undefined;
  readonly deletionGracePeriodSeconds?: number | undefined;
  readonly labels?: Readonly<Record<string, string>> | undefined;
  readonly annotations?: Readonly<Record<string, string>> | undefined;
  readonly finalizers?: readonly string[] | undefined;
  readonly ownerReferences?: readonly OwnerReference[] | undefined;
  readonly managedFields?: readonly JsonObject[] | undefined;
}

export interface OwnerReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly controller?: boolean | undefined;
  readonly blockOwnerDeletion?: boolean | undefined;
}

export const metaOf = (object: JsonObject): ObjectMeta => (isObject(object['metadata']) ? object['metadata'] : {});

/** The object with these fields of its metadata set, or removed where undefined. */
export function withMeta(object: JsonObject, change: ObjectMeta | Readonly<Record<string, unknown>>): JsonObject {
  return { ...object, metadata: withFields(metaOf(object) as JsonObject, change as Readonly<Record<string, Json | undefined>>) };
}

/** The object with these fields set, or removed where undefined. */
export function withFields(object: JsonObject, change: Readonly<Record<string, Json | undefined>>): JsonObject {
  const result: Record<string, Json> = { ...object };
  for (const [field, value] of Object.entries(change)) {
    if (value === undefined) delete result[field];
    else result[field] = value;
  }
  return result;
}

/** The value at a path of fields, or undefined where any of them is missing. */
export function at(value: Json | undefined, ...path: readonly (string | number)[]): Json | undefined {
  let current: Json | undefined = value;
  for (const step of path) {
    if (typeof step === 'number') current = Array.isArray(current) ? (current[step] as Json | undefined) : undefined;
    else current = isObject(current) ? current[step] : undefined;
  }
  return current;
}

export const textAt = (value: Json | undefined, ...path: readonly (string | number)[]): string => {
  const found = at(value, ...path);
  return typeof found === 'string' ? found : typeof found === 'number' || typeof found === 'boolean' ? String(found) : '';
};

export const numberAt = (value: Json | undefined, ...path: readonly (string | number)[]): number | undefined => {
  const found = at(value, ...path);
  return typeof found === 'number' ? found : undefined;
};

export const listAt = (value: Json | undefined, ...path: readonly (string | number)[]): readonly JsonObject[] => {
  const found = at(value, ...path);
  return Array.isArray(found) ? (found as readonly Json[]).filter(isObject) : [];
};

export const objectAt = (value: Json | undefined, ...path: readonly (string | number)[]): JsonObject => {
  const found = at(value, ...path);
  return isObject(found) ? found : {};
};

/** The object with the value at the path replaced; missing objects on the way are made. */
export function setAt(object: JsonObject, path: readonly string[], value: Json): JsonObject {
  const [first, ...rest] = path;
  if (first === undefined) return object;
  return { ...object, [first]: rest.length === 0 ? value : setAt(objectAt(object, first), rest, value) };
}

/** Makes every part unchangeable, so that one object can be handed to everybody. */
export function deepFreeze<T extends Json>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  for (const part of Object.values(value as JsonObject)) deepFreeze(part);
  return Object.freeze(value);
}

/** As the API writes times: whole seconds. */
export const rfc3339 = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19)}Z`;
