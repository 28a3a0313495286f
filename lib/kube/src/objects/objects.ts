import { StatusError } from '@quartermaster/kernel';
import type { ObjectMeta } from 'kubernetes-types/meta/v1.js';

/** What every Kubernetes object has. Concrete kinds come from `kubernetes-types` or from the CRD's own interface. */
export interface KubeObject {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata?: ObjectMeta;
}

/** Names one object of a known kind. The namespace is absent for cluster-scoped kinds. */
export interface ObjectRef {
  readonly namespace?: string | undefined;
  readonly name: string;
}

/** A kind as the API server serves it. `T` is the shape of its objects. */
export interface ResourceType<T extends KubeObject = KubeObject> {
  /** Empty for the core group. */
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly namespaced: boolean;
  /** Never set: it only ties `T` to the value. */
  readonly shape?: T;
}

/** One object's place in a cache: `namespace/name`, or `name` for cluster-scoped kinds. */
export type ObjectKeyText = string;

export function refOf(object: KubeObject): ObjectRef {
  const name = object.metadata?.name;
  if (name === undefined || name === '') throw new StatusError('invalid_argument', `${object.kind ?? 'object'} has no metadata.name`);
  const namespace = object.metadata?.namespace;
  return namespace === undefined || namespace === '' ? { name } : { namespace, name };
}

export function keyText(ref: ObjectRef): ObjectKeyText {
  return ref.namespace === undefined || ref.namespace === '' ? ref.name : `${ref.namespace}/${ref.name}`;
}

export function parseKey(key: ObjectKeyText): ObjectRef {
  const slash = key.indexOf('/');
  return slash < 0 ? { name: key } : { namespace: key.slice(0, slash), name: key.slice(slash + 1) };
}

/** `v1` for the core group, `group/version` otherwise. */
export function apiVersionOf(type: ResourceType): string {
  return type.group === '' ? type.version : `${type.group}/${type.version}`;
}

/** Declares a kind, usually once per kind in a module of its own: `const widgets = resourceType<Widget>({...})`. */
export function resourceType<T extends KubeObject = KubeObject>(type: Omit<ResourceType<T>, 'shape'>): ResourceType<T> {
  return type;
}
