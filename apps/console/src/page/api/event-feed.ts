import { Backoff, type Clock, type Random } from '@quartermaster/kernel';
import type { Connection } from '../model/freshness.ts';
import type { ApiError } from './api-error.ts';
import type { ApiObject } from './api-object.ts';

/** An answer of the API's watch, by the names of the contract. */
export interface WatchMessage {
  readonly event?: Readonly<Record<string, unknown>> & { readonly id?: string; readonly type?: string; readonly at?: string };
  readonly token: string;
  readonly bookmark?: boolean;
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
  readonly connection: Connection;
  /** When the service was last heard of; undefined before the first sound. */
  readonly heardAt: number | undefined;
  readonly problem: string | undefined;
}

/** The service says something at least every 15 s. */
const silentAfterMs = 40_000;
const reconnectBackoff = { firstMs: 500, maxMs: 10_000, factor: 2 };

/**
 * Follows what happens to objects. Goes on from the last token after every break, so that no change is missed; where that is not
 * possible it says `lost`, and whoever shows something reads it again.
 */
export class EventFeed {
  readonly #open: OpenWatch;
  readonly #clock: Clock;
  readonly #backoff: Backoff;
  readonly #listeners = new Set<() => void>();
  readonly #eventListeners = new Set<(event: FeedEvent) => void>();
  #state: FeedState = { connection: { kind: 'connecting' }, heardAt: undefined, problem: undefined };
  #token: string | undefined;
  #close: (() => void) | undefined;
  #cancelTimer: (() => void) | undefined;
  #brokenSince: number | undefined;

  constructor(open: OpenWatch, clock: Clock, random: Random) {
    this.#open = open;
    this.#clock = clock;
    this.#backoff = new Backoff(reconnectBackoff, random);
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
    this.#connect();
  }

  stop(): void {
    this.#drop();
  }

  /** Tries at once instead of after the wait. */
  reconnectNow(): void {
    if (this.#state.connection.kind === 'broken') this.#connect();
  }

  #connect(): void {
    this.#drop();
    this.#close = this.#open(this.#token, {
      sound: () => this.#heard(),
      message: (message) => this.#take(message),
      failed: (error) => this.#broke(error),
    });
    this.#expectSound();
  }

  #heard(): void {
    this.#backoff.reset();
    this.#brokenSince = undefined;
    this.#expectSound();
    this.#set({ connection: { kind: 'open' }, heardAt: this.#clock.now(), problem: undefined });
  }

  #take(message: WatchMessage): void {
    const isFirst = this.#token === undefined;
    this.#token = message.token;
    this.#heard();
    // What was read before the watch began may be older than the watch.
    if (isFirst) this.#tell({ kind: 'lost' });
    const event = message.bookmark === true ? undefined : eventOf(message);
    if (event !== undefined) this.#tell(event);
  }

  #broke(error?: ApiError): void {
    this.#drop();
    // Too old to go on from, or of somebody who saw other objects.
    if (error?.reason === 'FEED_TOKEN_EXPIRED' || error?.reason === 'ACCESS_CHANGED') this.#token = undefined;
    const waitMs = this.#backoff.nextMs();
    const now = this.#clock.now();
    this.#brokenSince ??= now;
    this.#set({
      ...this.#state,
      connection: { kind: 'broken', since: this.#brokenSince, retryAt: now + waitMs },
      problem: error?.message ?? 'it fell silent',
    });
    this.#cancelTimer = this.#clock.schedule(waitMs, () => this.#connect());
  }

  #expectSound(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = this.#clock.schedule(silentAfterMs, () => this.#broke());
  }

  #drop(): void {
    this.#cancelTimer?.();
    this.#close?.();
    this.#close = undefined;
  }

  #tell(event: FeedEvent): void {
    for (const listener of this.#eventListeners) listener(event);
  }

  #set(state: FeedState): void {
    this.#state = state;
    for (const listener of this.#listeners) listener();
  }
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
