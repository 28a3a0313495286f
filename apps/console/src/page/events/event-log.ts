import type { ApiObject } from '../api/api-object.ts';
import type { FeedEvent } from '../api/event-feed.ts';

/** Something that happened to one object. */
export interface LoggedEvent {
  /** The same when it is told again. */
  readonly id: string;
  readonly type: 'created' | 'updated' | 'deleted' | 'signaled';
  /** The field of the event that holds the object: `host`. */
  readonly payload: string;
  readonly object: ApiObject;
  readonly at: number;
}

export interface EventLogState {
  /** Since when it listens: nothing earlier is in it. */
  readonly since: number;
  /** The newest first. */
  readonly events: readonly LoggedEvent[];
  /** Whether something may be missing: the feed began anew. */
  readonly hasGap: boolean;
}

const maxEvents = 1_000;

/** What happened since the console was opened, as far as it is kept. An event that is told twice is there once. */
export function withEvent(state: EventLogState, event: FeedEvent, now: number): EventLogState {
  // The first word of a feed says that what was read before may be old; what happens from then on is all told.
  if (event.kind === 'lost') return state.events.length === 0 ? state : { ...state, hasGap: true };
  const { id, type, payload, object, at = now } = event;
  if (state.events.some((known) => known.id === id)) return state;
  return { ...state, events: [{ id, type, payload, object, at }, ...state.events].slice(0, maxEvents) };
}
