import { type Clock, type Log, messageOf } from '@quartermaster/kernel';
import type { ConsoleSnapshot, ConsoleSource } from '../console-source.ts';
import { type AnyState, aliveIntervalMs, encodeMessage, type SearchHit, type StreamMessage } from '../topics/stream-message.ts';
import { search } from './search.ts';
import { openTopic, type TopicReader } from './topic-readers.ts';
import { withoutSecrets } from './without-secrets.ts';

/** One open page, as the feed needs it. */
export interface FeedClient {
  /** Sends text. False when the client does not keep up: the feed then waits for `resume`. */
  write(text: string): boolean;
}

export interface FeedSubscription {
  /** The client has taken all that was written. It gets what is newest now, without the states that it missed. */
  resume(): void;
  end(): void;
}

interface Followed {
  readonly address: string;
  readonly reader: TopicReader;
  /** Undefined before the first word; null when the last word was that nothing is known. */
  sent: AnyState | null | undefined;
}

interface Subscriber {
  readonly client: FeedClient;
  readonly topics: readonly Followed[];
  canTake: boolean;
  /** Not before this moment of the monotonic clock. */
  restsUntilMs: number;
  cancelPending: (() => void) | undefined;
}

/** However often the source changes, a page is told no more often than this. */
const coalesceIntervalMs = 250;

/** What a page is told after its first state, at most and on average. What comes sooner waits and is merged. */
const bytesPerSecond = 256 * 1024;

/** Of the time of this process, what a page may take at most is one part in so many. */
const restFactor = 10;

/**
 * Tells every open page what changed about the topics that it follows. A page gets a topic's whole state once and then the
 * difference to what it was told last. A page that is slow costs no memory: while it cannot take more, nothing is queued for
 * it. One that follows much and lively topics is told less often instead of more: bytes and work per second have a bound.
 */
export class TopicFeed {
  readonly #source: ConsoleSource;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #subscribers = new Set<Subscriber>();
  readonly #states = new Map<string, AnyState | undefined>(); // address -> what it says now
  readonly #unsubscribe: () => void;
  #latest: ConsoleSnapshot;
  #isOutdated = false;
  #cancelAlive: (() => void) | undefined;
  #isClosed = false;

  constructor(source: ConsoleSource, clock: Clock, log: Log) {
    this.#source = source;
    this.#clock = clock;
    this.#log = log;
    this.#latest = withoutSecrets(source.current());
    this.#unsubscribe = source.subscribe(() => this.#changed());
    this.#scheduleAlive();
  }

  /** What a topic says now; undefined while nothing is known. Throws a StatusError for a topic that there is not. */
  read(address: string): AnyState | undefined {
    this.#isOutdated = true;
    return this.#stateOf(address, openTopic(address));
  }

  /** What the words name now. */
  search(query: string): readonly SearchHit[] {
    this.#isOutdated = true;
    this.#refresh();
    return search({ snapshot: this.#latest, source: this.#source }, query);
  }

  /** Sends the state of each topic at once and every change from then on. Throws a StatusError for a topic that there is not. */
  subscribe(client: FeedClient, addresses: readonly string[]): FeedSubscription {
    const topics = [...new Set(addresses)].map((address) => ({ address, reader: openTopic(address), sent: undefined }));
    const subscriber: Subscriber = { client, topics, canTake: true, restsUntilMs: 0, cancelPending: undefined };
    this.#subscribers.add(subscriber);
    this.#isOutdated = true;
    this.#update(subscriber);
    return {
      resume: () => {
        subscriber.canTake = true;
        this.#schedule(subscriber);
      },
      end: () => {
        subscriber.cancelPending?.();
        this.#subscribers.delete(subscriber);
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
    this.#isOutdated = true;
    for (const subscriber of this.#subscribers) this.#schedule(subscriber);
  }

  #schedule(subscriber: Subscriber): void {
    if (!subscriber.canTake || subscriber.cancelPending !== undefined || !this.#subscribers.has(subscriber)) return;
    const waitMs = Math.max(coalesceIntervalMs, subscriber.restsUntilMs - this.#clock.monotonic());
    subscriber.cancelPending = this.#clock.schedule(waitMs, () => {
      subscriber.cancelPending = undefined;
      this.#update(subscriber);
    });
  }

  #scheduleAlive(): void {
    this.#cancelAlive = this.#clock.schedule(aliveIntervalMs, () => {
      this.#isOutdated = true;
      const alive = encodeMessage({ kind: 'alive', sentAt: this.#clock.now() });
      for (const subscriber of this.#subscribers) {
        const isPending = subscriber.cancelPending !== undefined;
        if (!subscriber.canTake || (!isPending && this.#update(subscriber))) continue;
        subscriber.canTake = subscriber.client.write(alive);
      }
      this.#scheduleAlive();
    });
  }

  /** Whether there was anything to send. */
  #update(subscriber: Subscriber): boolean {
    if (!subscriber.canTake) return false;
    const startedMs = this.#clock.monotonic();
    const isFirst = subscriber.topics.some(({ sent }) => sent === undefined);
    const text = subscriber.topics.map((topic) => this.#newsOf(topic)).join('');
    const tookMs = this.#clock.monotonic() - startedMs;
    // What a page asked for it gets whole and at once; the pace is for what comes by itself.
    const sendingMs = isFirst ? 0 : (text.length / bytesPerSecond) * 1000;
    subscriber.restsUntilMs = startedMs + Math.max(sendingMs, tookMs * restFactor);
    if (text === '') return false;
    subscriber.canTake = subscriber.client.write(text);
    return true;
  }

  /** The message that brings the page up to date about a topic; empty when it is. */
  #newsOf(topic: Followed): string {
    const state = this.#stateOf(topic.address, topic.reader) ?? null;
    const { sent, reader, address } = topic;
    if (sent === state) return '';
    topic.sent = state;
    const sentAt = this.#clock.now();
    const message = (rest: Pick<StreamMessage & { kind: 'state' }, 'kind' | 'state'>): string =>
      encodeMessage({ ...rest, sentAt, topic: address });
    if (sent === undefined || sent === null || state === null) return message({ kind: 'state', state });
    const patch = reader.diff(sent, state);
    return patch === undefined ? '' : encodeMessage({ kind: 'patch', sentAt, topic: address, patch });
  }

  #stateOf(address: string, reader: TopicReader): AnyState | undefined {
    if (this.#isOutdated) this.#refresh();
    if (!this.#states.has(address)) this.#states.set(address, reader.read({ snapshot: this.#latest, source: this.#source }));
    return this.#states.get(address);
  }

  #refresh(): void {
    try {
      this.#latest = withoutSecrets(this.#source.current());
      this.#isOutdated = false;
      this.#states.clear();
    } catch (error) {
      // The pages keep what they have and see it age.
      this.#log.error('the console could not read its source', { error: messageOf(error) });
    }
  }
}
