import {
  type AnyState,
  aliveIntervalMs,
  applyTopicPatch,
  type StreamMessage,
  type SummaryHead,
  summaryTopic,
  type Topic,
  type TopicState,
  topicAddress,
} from '@quartermaster/api/inventory-views';
import { type Clock, Follower, type FollowState, type Random } from '@quartermaster/kernel';

/** Opens a stream of these topics. Exactly one of the two callbacks ends an attempt: `failed`, or the returned function. */
export type OpenStream = (addresses: readonly string[], events: StreamEvents) => () => void;

interface StreamEvents {
  readonly message: (message: StreamMessage) => void;
  readonly failed: () => void;
}

export interface LiveState {
  /** What was last known. It outlives every connection. */
  readonly summary: SummaryHead | undefined;
  /** Its moments are by the server's clock, like every other. */
  readonly connection: FollowState;
  readonly heardAt: number | undefined;
  /** What to add to this machine's clock to get the server's. */
  readonly clockOffsetMs: number;
}

interface Followed {
  readonly keyOf: (row: object) => string;
  readonly listeners: Set<() => void>;
  /** Undefined before the first word; null when the server does not know. */
  state: AnyState | null | undefined;
}

/** Said about a topic: its state, null when the server does not know either, undefined when nothing has been said yet. */
export type TopicNews<Head extends object, Row extends object> = TopicState<Head, Row> | null | undefined;

/** A stream that was silent this long is dead, whatever the connection says. */
const silenceMs = 3 * aliveIntervalMs;

const backoff = { firstMs: 500, maxMs: 10_000, factor: 2 };

/** Pages that change what they follow do so in one go: the stream is opened anew once, not for each of them. */
const settleDelayMs = 20;

const summaryAddress = topicAddress(summaryTopic, null);

/**
 * Follows the server's stream and keeps what it said: the summary always, other topics for as long as somebody looks at them.
 * Connects, and connects again after every break with growing, jittered waits, until stopped. When other topics are asked for,
 * a new stream replaces the old one, and what was known stays until the new one speaks.
 */
export class LiveStore {
  readonly #clock: Clock;
  readonly #follower: Follower<StreamMessage>;
  readonly #listeners = new Set<() => void>();
  readonly #topics = new Map<string, Followed>(); // address -> what is followed there
  #state: LiveState = { summary: undefined, connection: { kind: 'connecting' }, heardAt: undefined, clockOffsetMs: 0 };
  #cancelSettling: (() => void) | undefined;
  #streamed: readonly string[] = [];

  constructor(open: OpenStream, clock: Clock, random: Random) {
    this.#clock = clock;
    this.#follower = new Follower<StreamMessage>({
      watch: (_, { message, ended }) => {
        this.#streamed = [...this.#topics.keys()];
        return open(this.#streamed, { message, failed: () => ended() });
      },
      take: (messages) => {
        for (const message of messages) this.#take(message);
      },
      silenceMs,
      backoff,
      clock,
      random,
      changed: () => this.#changed(),
    });
    this.#topics.set(summaryAddress, { keyOf: () => '', listeners: new Set(), state: undefined });
  }

  readonly current = (): LiveState => this.#state;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };

  /** Calls back after every word about the topic, until the returned function is called. */
  follow<Params, Head extends object, Row extends object>(
    topic: Topic<Params, Head, Row>,
    params: Params,
    listener: () => void,
  ): () => void {
    const address = topicAddress(topic, params);
    const followed = this.#topics.get(address) ?? { keyOf: topic.keyOf as Followed['keyOf'], listeners: new Set(), state: undefined };
    followed.listeners.add(listener);
    this.#topics.set(address, followed);
    this.#settle();
    return () => {
      followed.listeners.delete(listener);
      this.#settle();
    };
  }

  /** What the topic said last. */
  newsOf<Params, Head extends object, Row extends object>(topic: Topic<Params, Head, Row>, params: Params): TopicNews<Head, Row> {
    // Under an address is what the server said about that topic: its types are the topic's.
    return this.#topics.get(topicAddress(topic, params))?.state as TopicNews<Head, Row>;
  }

  start(): void {
    this.#follower.start();
  }

  /** Asks nothing more until started again. What is known and followed stays. */
  pause(): void {
    void this.#follower.stop();
  }

  stop(): void {
    this.#cancelSettling?.();
    this.pause();
    this.#listeners.clear();
    this.#topics.clear();
  }

  /** Tries at once instead of after the wait, as when the machine wakes up. */
  reconnectNow(): void {
    this.#follower.reconnectNow();
  }

  #settle(): void {
    this.#cancelSettling ??= this.#clock.schedule(settleDelayMs, () => {
      this.#cancelSettling = undefined;
      for (const [address, { listeners }] of this.#topics) {
        if (listeners.size === 0 && address !== summaryAddress) this.#topics.delete(address);
      }
      // What is no longer kept must be said anew from the start, should somebody ask for it again.
      this.#streamed = this.#streamed.filter((address) => this.#topics.has(address));
      const isKnown = [...this.#topics.keys()].every((address) => this.#streamed.includes(address));
      if (!isKnown) this.#follower.reopen();
    });
  }

  #take(message: StreamMessage): void {
    const followed = message.kind === 'alive' ? undefined : this.#topics.get(message.topic);
    if (followed !== undefined && message.kind !== 'alive') followed.state = stateAfter(followed, message);
    const summary = this.#topics.get(summaryAddress)?.state as TopicNews<SummaryHead, never>;
    this.#state = {
      ...this.#state,
      summary: summary?.head ?? this.#state.summary,
      heardAt: message.sentAt,
      clockOffsetMs: message.sentAt - this.#clock.now(),
    };
    for (const listener of followed?.listeners ?? []) listener();
  }

  #changed(): void {
    const { state } = this.#follower.status();
    const { clockOffsetMs } = this.#state;
    const connection =
      state.kind === 'reconnecting' ? { ...state, since: state.since + clockOffsetMs, retryAt: state.retryAt + clockOffsetMs } : state;
    this.#state = { ...this.#state, connection };
    for (const listener of this.#listeners) listener();
  }
}

function stateAfter({ state, keyOf }: Followed, message: Exclude<StreamMessage, { kind: 'alive' }>): Followed['state'] {
  if (message.kind === 'state') return message.state;
  return state === undefined || state === null ? state : applyTopicPatch(state, message.patch, keyOf);
}
