import { type AnyState, aliveIntervalMs, type StreamMessage } from '@quartermaster/api/inventory-views';
import { type Clock, type Log, messageOf } from '@quartermaster/kernel';
import type { OpenView } from './open-view.ts';

/** One reader, as the feed needs it. */
export interface FeedClient {
  /** Sends messages. False when the client does not keep up: the feed then waits for `resume`. */
  write(messages: readonly StreamMessage[]): boolean;
}

export interface FeedSubscription {
  /** The client has taken all that was written. It gets what is newest now, without the states that it missed. */
  resume(): void;
  end(): void;
}

export interface ViewFeedOptions {
  /** Throws a StatusError for a view that there is not. */
  readonly open: (address: string) => OpenView;
  /** Calls back after every change, at any pace. Returns a function that ends it. */
  readonly subscribe: (changed: () => void) => () => void;
  readonly clock: Clock;
  readonly log: Log;
}

interface Followed {
  readonly address: string;
  readonly view: OpenView;
  /** Undefined before the first word; null when the last word was that nothing is known. */
  sent: AnyState | null | undefined;
}

interface Subscriber {
  readonly client: FeedClient;
  readonly views: readonly Followed[];
  canTake: boolean;
  /** Something changed while it could take no more. */
  isBehind: boolean;
  /** Not before this moment of the monotonic clock. */
  restsUntilMs: number;
  cancelPending: (() => void) | undefined;
}

/** What a view said, and in which look at the source. */
interface Seen {
  readonly look: number;
  readonly state: AnyState | undefined;
}

/** However often the source changes, a reader is told no more often than this. */
const coalesceMs = 250;

/** What a reader is told after its first state, at most and on average. What comes sooner waits and is merged. */
const bytesPerSecond = 256 * 1024;

/** Of the time of this process, what a reader may take at most is one part in so many. */
const restFactor = 10;

/**
 * Tells every reader what changed about the views that it follows. A reader gets a view's whole state once and then the difference to what it was
 * told last. One that is slow costs no memory: while it cannot take more, nothing is queued for it. One that follows much and lively views is told
 * less often instead of more: bytes and work per second have a bound. A view that nobody follows is not looked at.
 */
export class ViewFeed {
  readonly #options: ViewFeedOptions;
  readonly #subscribers = new Set<Subscriber>();
  readonly #seen = new Map<string, Seen>(); // address of a view that is followed -> what it last said
  readonly #unsubscribe: () => void;
  #look = 0;
  #cancelAlive: (() => void) | undefined;
  #isClosed = false;

  constructor(options: ViewFeedOptions) {
    this.#options = options;
    this.#unsubscribe = options.subscribe(() => this.#changed());
    this.#scheduleAlive();
  }

  /** What a view says now; undefined while nothing is known. Throws a StatusError for a view that there is not. */
  read(address: string): AnyState | undefined {
    return this.#options.open(address).read();
  }

  /** Sends the state of each view at once and every change from then on. Throws a StatusError for a view that there is not. */
  subscribe(client: FeedClient, addresses: readonly string[]): FeedSubscription {
    const views = [...new Set(addresses)].map((address) => ({ address, view: this.#options.open(address), sent: undefined }));
    const subscriber: Subscriber = { client, views, canTake: true, isBehind: false, restsUntilMs: 0, cancelPending: undefined };
    this.#subscribers.add(subscriber);
    this.#look += 1;
    this.#update(subscriber);
    return {
      resume: () => {
        subscriber.canTake = true;
        if (subscriber.isBehind) this.#schedule(subscriber);
        subscriber.isBehind = false;
      },
      end: () => {
        subscriber.cancelPending?.();
        this.#subscribers.delete(subscriber);
        this.#forgetUnfollowed();
      },
    };
  }

  close(): void {
    this.#isClosed = true;
    this.#unsubscribe();
    this.#cancelAlive?.();
    for (const { cancelPending } of this.#subscribers) cancelPending?.();
    this.#subscribers.clear();
  }

  #changed(): void {
    if (this.#isClosed) return;
    this.#look += 1;
    for (const subscriber of this.#subscribers) this.#schedule(subscriber);
  }

  #schedule(subscriber: Subscriber): void {
    if (!subscriber.canTake) subscriber.isBehind = true;
    if (!subscriber.canTake || subscriber.cancelPending !== undefined || !this.#subscribers.has(subscriber)) return;
    const { clock } = this.#options;
    const waitMs = Math.max(coalesceMs, subscriber.restsUntilMs - clock.monotonic());
    subscriber.cancelPending = clock.schedule(waitMs, () => {
      subscriber.cancelPending = undefined;
      this.#update(subscriber);
    });
  }

  #scheduleAlive(): void {
    const { clock } = this.#options;
    this.#cancelAlive = clock.schedule(aliveIntervalMs, () => {
      this.#look += 1;
      const alive = { kind: 'alive', sentAt: clock.now() } as const;
      for (const subscriber of this.#subscribers) {
        const isPending = subscriber.cancelPending !== undefined;
        if (!subscriber.canTake || (!isPending && this.#update(subscriber))) continue;
        subscriber.canTake = subscriber.client.write([alive]);
      }
      this.#scheduleAlive();
    });
  }

  /** Whether there was anything to send. */
  #update(subscriber: Subscriber): boolean {
    if (!subscriber.canTake) {
      subscriber.isBehind = true;
      return false;
    }
    const { clock } = this.#options;
    const startedMs = clock.monotonic();
    const isFirst = subscriber.views.some(({ sent }) => sent === undefined);
    const news = subscriber.views.flatMap((each) => this.#newsOf(each) ?? []);
    // What a reader asked for it gets whole and at once; the pace is for what comes by itself.
    const bytes = isFirst || news.length === 0 ? 0 : JSON.stringify(news).length;
    const tookMs = clock.monotonic() - startedMs;
    subscriber.restsUntilMs = startedMs + Math.max((bytes / bytesPerSecond) * 1000, tookMs * restFactor);
    if (news.length === 0) return false;
    subscriber.canTake = subscriber.client.write(news);
    return true;
  }

  /** The message that brings the reader up to date about a view; undefined when it is. */
  #newsOf(followed: Followed): StreamMessage | undefined {
    const { sent, view, address: topic } = followed;
    const state = this.#stateOf(topic, view) ?? null;
    if (sent === state) return undefined;
    followed.sent = state;
    const sentAt = this.#options.clock.now();
    if (sent === undefined || sent === null || state === null) return { kind: 'state', sentAt, topic, state };
    const patch = view.diff(sent, state);
    return patch && { kind: 'patch', sentAt, topic, patch };
  }

  #stateOf(address: string, view: OpenView): AnyState | undefined {
    const seen = this.#seen.get(address);
    if (seen?.look === this.#look) return seen.state;
    const state = this.#readOr(view, seen?.state);
    this.#seen.set(address, { look: this.#look, state });
    return state;
  }

  #readOr(view: OpenView, before: AnyState | undefined): AnyState | undefined {
    try {
      return view.read();
    } catch (error) {
      // Readers keep what they have and see it age.
      this.#options.log.error('a view could not be read', { error: messageOf(error) });
      return before;
    }
  }

  #forgetUnfollowed(): void {
    const followed = new Set([...this.#subscribers].flatMap(({ views }) => views.map(({ address }) => address)));
    for (const address of this.#seen.keys()) if (!followed.has(address)) this.#seen.delete(address);
  }
}
