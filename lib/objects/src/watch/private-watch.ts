import type { Message } from '@bufbuild/protobuf';
import { isVisible, principalOf } from '@quartermaster/auth';
import type { CallContext } from '@quartermaster/rpc';
import { type Change, decodeChangeBody } from '@quartermaster/store';
import { makeEvent, payloadFields, type WatchRequest, type WatchServiceOptions } from './event-contract.ts';
import { sharedAnswers, watchChanges } from './watch-changes.ts';

/** Every change of every kind, with secrets redacted. */
export function privateWatch<E extends Message, A extends object>({ changes, kinds, contract, clock }: WatchServiceOptions<E, A>) {
  const known = new WeakMap<Change, { readonly event: E; readonly by: object | undefined }>(); // made once for all watches
  const fields = payloadFields(contract.event, kinds, ({ schema }) => schema);
  const answer = sharedAnswers(contract.answer);
  const eventOf = (change: Change): E => {
    const [field, kind] = [fields.get(change.kind), kinds[change.kind]];
    const by = kind?.withheldBy?.();
    const made = known.get(change);
    if (made !== undefined && made.by === by) return made.event;
    const value = kind?.store.decode(decodeChangeBody(change.body).object);
    if (value !== undefined) kind?.withhold?.(value);
    const payload = field && value && { field, value };
    const event = makeEvent(contract.event, change, contract.types[change.type] ?? 0, payload);
    known.set(change, { event, by });
    return event;
  };
  const secrets = new Set(
    Object.values(kinds).flatMap(({ name, secretPaths }) => secretPaths.map((path) => `${fields.get(name)?.name}.${path}`)),
  );
  return (request: WatchRequest, { identity, signal }: CallContext): AsyncGenerator<A, void, undefined> => {
    const principal = principalOf(identity);
    const isSeen = (change: Change): boolean => isVisible(principal, change.tenantsBefore) || isVisible(principal, change.tenantsAfter);
    const options = {
      changes,
      schema: contract.event,
      hidden: (path: readonly string[]) => secrets.has(path.join('.')),
      filter: request.filter ?? '',
      token: request.token,
      eventOf: (change: Change) => (contract.types[change.type] !== undefined && isSeen(change) ? eventOf(change) : undefined),
      hasBookmarks: request.bookmarks,
      answer,
      clock,
    };
    return watchChanges(options, signal);
  };
}
