import { type KubeObject, StatusError } from '@quartermaster/kernel';

export { apiVersionOf, type KubeObject, type ResourceType, resourceType } from '@quartermaster/kernel';

/** Names one object of a known kind. The namespace is absent for cluster-scoped kinds. */
export interface ObjectRef {
  readonly namespace?: string | undefined;
  readonly name: string;
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
