import type { ObjectMeta } from './generated/object-meta.ts';

/** What every Kubernetes object has. Concrete kinds are declared by the contracts, or generated from what the API server serves. */
export interface KubeObject {
  readonly apiVersion?: string | undefined;
  readonly kind?: string | undefined;
  readonly metadata?: ObjectMeta | undefined;
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

/** Declares a kind, usually once per kind in a module of its own: `const widgets = resourceType<Widget>({...})`. */
export function resourceType<T extends KubeObject = KubeObject>(type: Omit<ResourceType<T>, 'shape'>): ResourceType<T> {
  return type;
}

/** `v1` for the core group, `group/version` otherwise. */
export function apiVersionOf(type: ResourceType): string {
  return type.group === '' ? type.version : `${type.group}/${type.version}`;
}
