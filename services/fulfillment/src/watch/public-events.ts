import { create } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { type Event, EventSchema, Events, EventsWatchResponseSchema, EventType } from '@quartermaster/api/fulfillment';
import type { Event as PrivateEvent } from '@quartermaster/api/private';
import { isOwn, isVisible, type Principal, principalOf } from '@quartermaster/auth';
import { type ServedService, serve, sharedAnswer } from '@quartermaster/rpc';
import { type Change, decodeChangeBody } from '@quartermaster/store';
import { withSeenTenants } from '../objects/visibility.ts';
import {
  clusterProjection,
  clusterTemplateProjection,
  hostClassProjection,
  hostPoolProjection,
  hostProjection,
} from '../projection/index.ts';
import { type EventsOptions, privateDecoder } from './private-events.ts';
import { sharedAnswers, type WatchAnswer, watchChanges } from './watch-changes.ts';

/**
 * What becomes of the objects that the caller sees. One that comes into its view is created for it, and one that leaves its view is deleted for it: then it is told what
 * the object was before. Signals and hubs are the provider's own.
 */
export function publicEvents({ changes, kinds, clock }: EventsOptions): ServedService {
  const known = new WeakMap<Change, Map<string, Event | undefined>>(); // change -> tenants -> the event for whoever sees them
  const decode = privateDecoder(kinds);
  const answer = sharedAnswers(({ event, token }: WatchAnswer<Event>) =>
    sharedAnswer(EventsWatchResponseSchema, event === undefined ? { token, bookmark: true } : { event, token }),
  );
  const eventOf = (principal: Principal, change: Change): Event | undefined => {
    const seen = principal.visibleTenants === 'all' ? '*' : JSON.stringify(principal.visibleTenants);
    const made = known.get(change) ?? new Map<string, Event | undefined>();
    known.set(change, made);
    if (!made.has(seen)) made.set(seen, makeEvent(principal, change, decode));
    return made.get(seen);
  };
  return serve(Events, {
    watch: (request, context) => {
      const principal = principalOf(context.identity);
      const options = {
        changes,
        schema: EventSchema,
        hidden: () => false,
        filter: request.filter ?? '',
        token: request.token,
        eventOf: (change: Change) => eventOf(principal, change),
        hasBookmarks: request.bookmarks,
        answer,
        clock,
      };
      return watchChanges(options, context.signal);
    },
  });
}

function makeEvent(principal: Principal, change: Change, decode: ReturnType<typeof privateDecoder>): Event | undefined {
  const type = typeFor(principal, change);
  if (type === undefined) return undefined;
  const { object, before } = decodeChangeBody(change.body);
  const isLeaving = type === EventType.OBJECT_DELETED && change.type !== 'deleted';
  const payload = publicPayload(principal, decode(change.kind, isLeaving ? (before ?? object) : object));
  if (payload === undefined) return undefined;
  return create(EventSchema, { id: change.token, type, at: timestampFromDate(change.at), payload });
}

/** What the change is to this caller. */
function typeFor(principal: Principal, { kind, type, tenantsBefore, tenantsAfter }: Change): EventType | undefined {
  const seesOf = kind === 'hosts' ? isOwn : isVisible;
  const [was, is] = [seesOf(principal, tenantsBefore), seesOf(principal, tenantsAfter)];
  switch (type) {
    case 'created':
      return is ? EventType.OBJECT_CREATED : undefined;
    case 'updated':
      if (was && is) return EventType.OBJECT_UPDATED;
      return is ? EventType.OBJECT_CREATED : was ? EventType.OBJECT_DELETED : undefined;
    case 'deleted':
      return was ? EventType.OBJECT_DELETED : undefined;
    case 'signaled':
      return undefined;
  }
}

function publicPayload(principal: Principal, payload: PrivateEvent['payload']): Event['payload'] | undefined {
  switch (payload.case) {
    case 'host':
      return { case: 'host', value: withSeenTenants(principal, hostProjection.toPublic(payload.value)) };
    case 'hostClass':
      return { case: 'hostClass', value: withSeenTenants(principal, hostClassProjection.toPublic(payload.value)) };
    case 'clusterTemplate':
      return { case: 'clusterTemplate', value: withSeenTenants(principal, clusterTemplateProjection.toPublic(payload.value)) };
    case 'cluster':
      return { case: 'cluster', value: withSeenTenants(principal, clusterProjection.toPublic(payload.value)) };
    case 'hostPool':
      return { case: 'hostPool', value: withSeenTenants(principal, hostPoolProjection.toPublic(payload.value)) };
    case 'hub':
    case undefined:
      return undefined;
  }
}
