import { type Clock, Follower, type FollowState, type Random } from '@quartermaster/kernel';
import { ApiError } from './api-error.ts';
import type { ApiObject } from './api-object.ts';

/** An answer of the API's watch, by the names of the contract. */
export interface WatchMessage {
  readonly event?: Readonly<Record<string, unknown>> & { readonly id?: string; readonly type?: string; readonly at?: string };
  readonly token: string;
  readonly bookmark?: boolean | undefined;
}

/** Opens a watch from a token on, or from now on. Exactly one of `failed` and the returned function ends it. */
export type OpenWatch = (
  token: string | undefined,
  on: {
    /** The other side lives, though it may have nothing to say. */
    readonly sound: () => void;
    readonly message: (message: WatchMessage) => void;
    readonly failed: (error: ApiError) => void;
  },
) => () => void;

/** Something happened to one object, or so much that everything must be read again. */
export type FeedEvent =
  | {
      readonly kind: 'changed';
      readonly id: string;
      readonly type: 'created' | 'updated' | 'deleted' | 'signaled';
      /** The field of the event that holds the object: `host`. */
      readonly payload: string;
      readonly object: ApiObject;
      readonly at: number | undefined;
    }
  | { readonly kind: 'lost' };

export interface FeedState {
  readonly connection: FollowState;
  /** When the service was last heard of; undefined before the first sound. */
  readonly heardAt: number | undefined;
  readonly problem: string | undefined;
}

/** The service says something at least every 15 s. */
const silenceMs = 40_000;
const backoff = { firstMs: 500, maxMs: 10_000, factor: 2 };

/** The token is too old to go on from, or of somebody who saw other objects. */
const restartReasons: readonly (string | undefined)[] = ['FEED_TOKEN_EXPIRED', 'ACCESS_CHANGED'];

/**
 * Follows what happens to objects. Goes on from the last token after every break, so that no change is missed; where that is not
 * possible it says `lost`, and whoever shows something reads it again.
 */
export class EventFeed {
  readonly #follower: Follower<WatchMessage, string>;
  readonly #listeners = new Set<() => void>();
  readonly #eventListeners = new Set<(event: FeedEvent) => void>();
  #state: FeedState = { connection: { kind: 'connecting' }, heardAt: undefined, problem: undefined };

  constructor(open: OpenWatch, clock: Clock, random: Random) {
    this.#follower = new Follower<WatchMessage, string>({
      watch: (token, { message, sound, ended }) => open(token, { message, sound, failed: ended }),
      // What was read before the watch began may be older than the watch.
      list: () => this.#tell({ kind: 'lost' }),
      take: (messages) => this.#take(messages),
      tokenOf: ({ token }) => token,
      judge: (error) => (error instanceof ApiError && restartReasons.includes(error.reason) ? 'restart' : 'resume'),
      silenceMs,
      backoff,
      clock,
      random,
      changed: () => this.#changed(),
    });
  }

  readonly current = (): FeedState => this.#state;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };

  /** Calls back for every event until the returned function is called. */
  readonly listen = (listener: (event: FeedEvent) => void): (() => void) => {
    this.#eventListeners.add(listener);
    return () => void this.#eventListeners.delete(listener);
  };

  start(): void {
    this.#follower.start();
  }

  stop(): void {
    void this.#follower.stop();
  }

  /** Tries at once instead of after the wait. */
  reconnectNow(): void {
    this.#follower.reconnectNow();
  }

  #take(messages: readonly WatchMessage[]): void {
    for (const message of messages) {
      const event = message.bookmark === true ? undefined : eventOf(message);
      if (event !== undefined) this.#tell(event);
    }
  }

  #changed(): void {
    const { state, heardAt } = this.#follower.status();
    this.#state = { connection: state, heardAt, problem: problemOf(state) };
    for (const listener of this.#listeners) listener();
  }

  #tell(event: FeedEvent): void {
    for (const listener of this.#eventListeners) listener(event);
  }
}

function problemOf(state: FollowState): string | undefined {
  if (state.kind !== 'reconnecting') return undefined;
  return state.error instanceof ApiError ? state.error.message : 'it stopped responding';
}

const types = ['created', 'updated', 'deleted', 'signaled'] as const;

function eventOf({ event = {} }: WatchMessage): FeedEvent | undefined {
  const { id = '', type = '', at, ...payloads } = event;
  const found = Object.entries(payloads).find(([, value]) => typeof value === 'object' && value !== null);
  const word = types.find((each) => type === `EVENT_TYPE_OBJECT_${each.toUpperCase()}`);
  if (found === undefined || word === undefined) return undefined;
  const [payload, object] = found;
  // Beside its own few fields, an event holds exactly one object.
  return { kind: 'changed', id, type: word, payload, object: object as ApiObject, at: at === undefined ? undefined : Date.parse(at) };
}
