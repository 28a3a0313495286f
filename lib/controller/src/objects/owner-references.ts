import { StatusError } from '@quartermaster/kernel';
import { apiVersionOf, type KubeObject, keyText, type ResourceType, refOf } from '@quartermaster/kube';

export type OwnerReference = NonNullable<NonNullable<KubeObject['metadata']>['ownerReferences']>[number];

export interface OwnerOptions {
  /** The owner manages the object; an object has one such owner at most. Default true. */
  readonly controller?: boolean | undefined;
  /** A foreground deletion of the owner waits for the object. Default true. */
  readonly blockOwnerDeletion?: boolean | undefined;
}

/** A reference to an object that the server has stored: without its uid, the reference could name a later object of the same name. */
export function ownerReference<T extends KubeObject>(type: ResourceType<T>, owner: T, options: OwnerOptions = {}): OwnerReference {
  const { name } = refOf(owner);
  const uid = owner.metadata?.uid;
  if (uid === undefined || uid === '') {
    throw new StatusError(
      'internal',
      `${type.kind} ${name} cannot own anything without metadata.uid: use the object that the server returned`,
    );
  }
  return {
    apiVersion: apiVersionOf(type),
    kind: type.kind,
    name,
    uid,
    controller: options.controller ?? true,
    blockOwnerDeletion: options.blockOwnerDeletion ?? true,
  };
}

export function controllerOf(object: KubeObject): OwnerReference | undefined {
  return object.metadata?.ownerReferences?.find((reference) => reference.controller === true);
}

/** By uid: a recreated object of the same name is another owner. */
export function isOwnedBy(object: KubeObject, owner: KubeObject): boolean {
  const uid = owner.metadata?.uid;
  return uid !== undefined && object.metadata?.ownerReferences?.some((reference) => reference.uid === uid) === true;
}

/**
 * A copy of the object that garbage collection removes together with the owner. Refuses what the collector would answer by deleting
 * the object without a word (an owner in another namespace, or a namespaced owner of a cluster-scoped object), and a second
 * controller.
 */
export function withOwner<T extends KubeObject, O extends KubeObject>(
  object: T,
  type: ResourceType<O>,
  owner: O,
  options: OwnerOptions = {},
): T {
  const reference = ownerReference(type, owner, options);
  checkScope(object, type, owner);
  const others = (object.metadata?.ownerReferences ?? []).filter((known) => known.uid !== reference.uid);
  const rival = reference.controller === true ? others.find((known) => known.controller === true) : undefined;
  if (rival !== undefined) {
    const way = 'release it there first, or pass controller: false';
    throw new StatusError('failed_precondition', `${nameOf(object)} is controlled by ${rival.kind} ${rival.name}: ${way}`);
  }
  return { ...object, metadata: { ...object.metadata, ownerReferences: [...others, reference] } };
}

function checkScope<O extends KubeObject>(object: KubeObject, type: ResourceType<O>, owner: O): void {
  if (!type.namespaced) return;
  const namespace = object.metadata?.namespace ?? '';
  const ownerNamespace = owner.metadata?.namespace ?? '';
  if (namespace === ownerNamespace) return;
  const rule = namespace === '' ? 'is cluster-scoped or has no metadata.namespace yet' : `is in namespace ${namespace}`;
  const way = 'an owner must be cluster-scoped or in the same namespace; clean up with a finalizer instead';
  throw new StatusError(
    'invalid_argument',
    `${nameOf(object)} ${rule} and cannot be owned by ${type.kind} ${keyText(refOf(owner))}: ${way}`,
  );
}

function nameOf(object: KubeObject): string {
  return `${object.kind ?? 'object'} ${object.metadata?.name ?? object.metadata?.generateName ?? '(unnamed)'}`;
}
