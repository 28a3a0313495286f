import type { Message } from '@bufbuild/protobuf';
import { type Principal, principalOf } from '@quartermaster/auth';
import type { CallContext } from '@quartermaster/rpc';
import { type Change, type ChangeType, decodeChangeBody } from '@quartermaster/store';
import { sees, withSeenTenants } from '../handlers/visibility.ts';
import type { AnyKind } from '../kinds/index.ts';
import { makeEvent, payloadFields, type WatchRequest, type WatchServiceOptions } from './event-contract.ts';
import { sharedAnswers, watchChanges } from './watch-changes.ts';

/**
 * What becomes of the objects that the caller sees. One that comes into its view is created for it, and one that leaves its view is deleted for it: then it is told what
 * the object was before. Signals and kinds without a projection are the provider's own.
 */
export function publicWatch<E extends Message, A extends object>({ changes, kinds, contract, clock }: WatchServiceOptions<E, A>) {
  const known = new WeakMap<Change, Map<string, E | undefined>>(); // change -> tenants -> the event for whoever sees them
  const fields = payloadFields(contract.event, kinds, ({ projection }) => projection?.publicSchema);
  const answer = sharedAnswers(contract.answer);
  const withheld = new Set(
    Object.values(kinds).flatMap(({ name, projection }) =>
      (projection?.unfilterable ?? []).map((path) => `${fields.get(name)?.name}.${path}`),
    ),
  );
  const eventFor = (principal: Principal, change: Change): E | undefined => {
    const [kind, field] = [kinds[change.kind], fields.get(change.kind)];
    const type = kind === undefined ? undefined : typeFor(kind, principal, change);
    const number = type === undefined ? undefined : contract.types[type];
    if (kind?.projection === undefined || field === undefined || number === undefined) return undefined;
    const { object, before } = decodeChangeBody(change.body);
    const isLeaving = type === 'deleted' && change.type !== 'deleted';
    const shown = kind.projection.toPublic(kind.store.decode(isLeaving ? (before ?? object) : object));
    return makeEvent(contract.event, change, number, { field, value: withSeenTenants(principal, shown) });
  };
  const eventOf = (principal: Principal, change: Change): E | undefined => {
    const seen = principal.visibleTenants === 'all' ? '*' : JSON.stringify(principal.visibleTenants);
    const made = known.get(change) ?? new Map<string, E | undefined>();
    known.set(change, made);
    if (!made.has(seen)) made.set(seen, eventFor(principal, change));
    return made.get(seen);
  };
  return (request: WatchRequest, { identity, signal }: CallContext): AsyncGenerator<A, void, undefined> => {
    const principal = principalOf(identity);
    const options = {
      changes,
      schema: contract.event,
      hidden: (path: readonly string[]) => withheld.has(path.join('.')),
      filter: request.filter ?? '',
      token: request.token,
      eventOf: (change: Change) => eventOf(principal, change),
      hasBookmarks: request.bookmarks,
      answer,
      clock,
    };
    return watchChanges(options, signal);
  };
}

/** What the change is to this caller. */
function typeFor(kind: AnyKind, principal: Principal, { type, tenantsBefore, tenantsAfter }: Change): ChangeType | undefined {
  const [was, is] = [sees(kind, principal, tenantsBefore), sees(kind, principal, tenantsAfter)];
  switch (type) {
    case 'created':
      return is ? 'created' : undefined;
    case 'updated':
      if (was && is) return 'updated';
      return is ? 'created' : was ? 'deleted' : undefined;
    case 'deleted':
      return was ? 'deleted' : undefined;
    case 'signaled':
      return undefined;
  }
}
