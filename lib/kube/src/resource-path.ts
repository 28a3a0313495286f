import { StatusError } from '@quartermaster/kernel';
import { apiVersionOf, type ObjectRef, type ResourceType } from './objects.ts';

/** The path of a kind's collection; of all namespaces when a namespaced kind gets none. */
export function collectionPath(type: ResourceType, namespace?: string): string {
  const root = type.group === '' ? `/api/${type.version}` : `/apis/${apiVersionOf(type)}`;
  const scope = type.namespaced && namespace !== undefined && namespace !== '' ? `/namespaces/${encodeURIComponent(namespace)}` : '';
  return `${root}${scope}/${type.plural}`;
}

/** The path of one object or of a subresource of it. */
export function objectPath(type: ResourceType, ref: ObjectRef, subresource?: string): string {
  if (ref.name === '') throw new StatusError('invalid_argument', `${type.kind}: metadata.name must not be empty`);
  requireNamespace(type, ref.namespace);
  const suffix = subresource === undefined ? '' : `/${subresource}`;
  return `${collectionPath(type, ref.namespace)}/${encodeURIComponent(ref.name)}${suffix}`;
}

export function requireNamespace(type: ResourceType, namespace: string | undefined): void {
  if (type.namespaced && (namespace === undefined || namespace === '')) {
    throw new StatusError('invalid_argument', `${type.kind} is namespaced: metadata.namespace must be set`);
  }
}

/** For messages: `pods default/web`. */
export function describeRef(type: ResourceType, ref: ObjectRef): string {
  return `${type.plural} ${ref.namespace === undefined || !type.namespaced ? ref.name : `${ref.namespace}/${ref.name}`}`;
}
