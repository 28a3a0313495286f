import { isOwn, type Principal } from '@quartermaster/auth';
import { notFound } from '@quartermaster/objects';
import type { StoredObject } from '@quartermaster/store';

/** The object, if it is the caller's own. Else `not_found`, in the words for what is not there. */
export function owned<M extends StoredObject>(
  kind: { readonly singular: string },
  principal: Principal,
  object: M | undefined,
  id: string,
): M {
  if (object === undefined || !isOwn(principal, object.metadata?.tenants ?? [])) throw notFound(kind, id);
  return object;
}
