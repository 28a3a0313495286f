import type { CallContext } from '@quartermaster/rpc';
import { type Principal, principalOf } from '../auth/principal.ts';

/** One field that a write changed. JSON on both sides, cut off with `…` when it is long; empty where there is nothing. */
export interface FieldChange {
  /** `spec.node_sets['workers'].size`, `status.conditions[0].reason` */
  readonly path: string;
  readonly before: string;
  readonly after: string;
}

/** Who does something, and from where: the same for everything that a call writes. */
export interface AuditOrigin {
  readonly actor: string;
  readonly role: string;
  /** Address of the caller. */
  readonly peer: string;
  /** `/private.v1.Hosts/Update` */
  readonly method: string;
  readonly requestId: string;
}

/** What was done to one object, or was refused. */
export interface AuditEvent {
  /** The plural of the kind: `hosts`. Empty when the call was refused before it named an object. */
  readonly kind: string;
  readonly objectId: string;
  readonly objectName: string;
  readonly changes: readonly FieldChange[];
  /** `created`, `updated`, `deleted` (waits for its finalizers) or `archived`; the status code of a refusal. */
  readonly outcome: string;
}

/** Where a call comes from. Its request id is the header `x-request-id` if that is a sensible one, and a new one otherwise. */
export function auditOrigin(
  { identity, peer, method, header }: Pick<CallContext, 'identity' | 'peer' | 'method' | 'header'>,
  newId: () => string,
): AuditOrigin {
  return originOf(principalOf(identity), { peer, method, requestId: header('x-request-id') }, newId);
}

export function originOf(
  { name, role }: Pick<Principal, 'name' | 'role'>,
  call: { readonly peer: string; readonly method: string; readonly requestId?: string | undefined },
  newId: () => string,
): AuditOrigin {
  const { peer, method, requestId = '' } = call;
  return { actor: name, role, peer, method, requestId: /^[\w.:/+=-]{1,128}$/.test(requestId) ? requestId : newId() };
}
