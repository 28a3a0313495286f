import { create } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { type Event, EventSchema, Events, EventsWatchResponseSchema, EventType } from '@quartermaster/api/private';
import { isVisible, principalOf } from '@quartermaster/auth';
import type { Clock } from '@quartermaster/kernel';
import { type ServedService, serve, sharedAnswer } from '@quartermaster/rpc';
import { type Change, type ChangeType, decodeChangeBody } from '@quartermaster/store';
import type { Kinds } from '../kinds/kinds.ts';
import { kindNames } from '../rules/index.ts';
import { type Changes, sharedAnswers, type WatchAnswer, watchChanges } from './watch-changes.ts';

export interface EventsOptions {
  readonly changes: Changes;
  readonly kinds: Kinds;
  readonly clock: Clock;
}

const types: Readonly<Record<ChangeType, EventType>> = {
  created: EventType.OBJECT_CREATED,
  updated: EventType.OBJECT_UPDATED,
  deleted: EventType.OBJECT_DELETED,
  signaled: EventType.OBJECT_SIGNALED,
};

/** Every change of every kind, with secrets redacted. */
export function privateEvents({ changes, kinds, clock }: EventsOptions): ServedService {
  const known = new WeakMap<Change, Event>(); // made once for all watches
  const decode = privateDecoder(kinds);
  const answer = sharedAnswers(({ event, token }: WatchAnswer<Event>) =>
    sharedAnswer(EventsWatchResponseSchema, event === undefined ? { token, bookmark: true } : { event, token }),
  );
  const eventOf = (change: Change): Event => {
    const made = known.get(change);
    if (made !== undefined) return made;
    const payload = decode(change.kind, decodeChangeBody(change.body).object);
    const event = create(EventSchema, { id: change.token, type: types[change.type], at: timestampFromDate(change.at), payload });
    known.set(change, event);
    return event;
  };
  const secrets = new Set(kindNames.flatMap((name) => kinds[name].store.type.secretPaths.map((path) => `${eventFields[name]}.${path}`)));
  return serve(Events, {
    watch: (request, context) => {
      const principal = principalOf(context.identity);
      const isSeen = (change: Change): boolean => isVisible(principal, change.tenantsBefore) || isVisible(principal, change.tenantsAfter);
      const options = {
        changes,
        schema: EventSchema,
        hidden: (path: readonly string[]) => secrets.has(path.join('.')),
        filter: request.filter ?? '',
        token: request.token,
        eventOf: (change: Change) => (isSeen(change) ? eventOf(change) : undefined),
        hasBookmarks: request.bookmarks,
        answer,
        clock,
      };
      return watchChanges(options, context.signal);
    },
  });
}

/** The names of the payloads in the contract. */
const eventFields = {
  hosts: 'host',
  host_classes: 'host_class',
  cluster_templates: 'cluster_template',
  clusters: 'cluster',
  hubs: 'hub',
  host_pools: 'host_pool',
} as const;

/** The payload of an event from the stored form of its object. A kind of a later release has none. */
export function privateDecoder(kinds: Kinds): (kind: string, body: Uint8Array) => Event['payload'] {
  return (kind, body) => {
    switch (kind) {
      case 'hosts':
        return { case: 'host', value: kinds.hosts.store.decode(body) };
      case 'host_classes':
        return { case: 'hostClass', value: kinds.host_classes.store.decode(body) };
      case 'cluster_templates':
        return { case: 'clusterTemplate', value: kinds.cluster_templates.store.decode(body) };
      case 'clusters':
        return { case: 'cluster', value: kinds.clusters.store.decode(body) };
      case 'hubs':
        return { case: 'hub', value: kinds.hubs.store.decode(body) };
      case 'host_pools':
        return { case: 'hostPool', value: kinds.host_pools.store.decode(body) };
      default:
        return { case: undefined };
    }
  };
}
