import { StatusError } from '@quartermaster/kernel';
import { apiVersionOf, type ObjectRef, type ResourceType } from './objects.ts';

/** The path of a kind's collection; of all namespaces when a namespaced kind gets none. */
export function collectionPath(type: ResourceType, namespace?: string): string {
  if (type.namespaced && namespace !== undefined && namespace !== '') requirePathSegment(type, 'metadata.namespace', namespace);
  const root = type.group === '' ? `/api/${type.version}` : `/apis/${apiVersionOf(type)}`;
  const scope = type.namespaced && namespace !== undefined && namespace !== '' ? `/namespaces/${encodeURIComponent(namespace)}` : '';
  return `${root}${scope}/${type.plural}`;
}

/** The path of one object or of a subresource of it. */
export function objectPath(type: ResourceType, ref: ObjectRef, subresource?: string): string {
  requirePathSegment(type, 'metadata.name', ref.name);
  requireNamespace(type, ref.namespace);
  const suffix = subresource === undefined ? '' : `/${subresource}`;
  return `${collectionPath(type, ref.namespace)}/${encodeURIComponent(ref.name)}${suffix}`;
}

export function requireNamespace(type: ResourceType, namespace: string | undefined): void {
  if (type.namespaced && (namespace === undefined || namespace === '')) {
    throw new StatusError('invalid_argument', `${type.kind} is namespaced: metadata.namespace must be set`);
  }
}

/** No object can have these names, and a path that held them would be about another object. */
function requirePathSegment(type: ResourceType, field: string, text: string): void {
  if (text === '') throw new StatusError('invalid_argument', `${type.kind}: ${field} must not be empty`);
  if (text === '.' || text === '..' || /[/%]/.test(text)) {
    throw new StatusError('invalid_argument', `${type.kind}: ${field} "${text}" must not be "." or ".." and must not contain "/" or "%"`);
  }
}

/** For messages: `pods default/web`. */
export function describeRef(type: ResourceType, ref: ObjectRef): string {
  return `${type.plural} ${ref.namespace === undefined || !type.namespaced ? ref.name : `${ref.namespace}/${ref.name}`}`;
}
