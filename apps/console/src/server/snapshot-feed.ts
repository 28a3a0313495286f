import { type Clock, type Log, messageOf } from '@quartermaster/kernel';
import type { ConsoleSnapshot, ConsoleSource } from '../console-source.ts';
import { diffSnapshots } from '../snapshot-patch.ts';
import { aliveEveryMs, encodeMessage } from '../stream-message.ts';
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

interface Subscriber {
  readonly client: FeedClient;
  sent: ConsoleSnapshot;
  canTake: boolean;
}

/** However often the source changes, a page is told no more often than this. */
const coalesceMs = 250;

/**
 * Tells every open page what changed. Each page starts with the whole snapshot and then gets the difference to what it was
 * told last; pages that are at the same state share one encoded patch. A page that is slow costs no memory: while it cannot
 * take more, nothing is queued for it.
 */
export class SnapshotFeed {
  readonly #source: ConsoleSource;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #subscribers = new Set<Subscriber>();
  readonly #encoded = new Map<ConsoleSnapshot, string | undefined>(); // what a page was told last -> the patch to now
  readonly #unsubscribe: () => void;
  #latest: ConsoleSnapshot;
  #cancelPending: (() => void) | undefined;
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

  /** What the source says now. */
  current(): ConsoleSnapshot {
    this.#read();
    return this.#latest;
  }

  /** Sends the whole snapshot at once and every change from then on. */
  subscribe(client: FeedClient): FeedSubscription {
    const snapshot = this.current();
    const subscriber: Subscriber = { client, sent: snapshot, canTake: true };
    this.#subscribers.add(subscriber);
    subscriber.canTake = client.write(encodeMessage({ kind: 'snapshot', sentAt: this.#clock.now(), snapshot }));
    return {
      resume: () => {
        subscriber.canTake = true;
        this.#update(subscriber);
      },
      end: () => void this.#subscribers.delete(subscriber),
    };
  }

  close(): void {
    this.#isClosed = true;
    this.#unsubscribe();
    this.#cancelPending?.();
    this.#cancelAlive?.();
    this.#subscribers.clear();
  }

  #changed(): void {
    if (this.#isClosed || this.#cancelPending !== undefined) return;
    this.#cancelPending = this.#clock.schedule(coalesceMs, () => {
      this.#cancelPending = undefined;
      this.#read();
      for (const subscriber of this.#subscribers) this.#update(subscriber);
    });
  }

  #scheduleAlive(): void {
    this.#cancelAlive = this.#clock.schedule(aliveEveryMs, () => {
      this.#read();
      const alive = encodeMessage({ kind: 'alive', sentAt: this.#clock.now() });
      for (const subscriber of this.#subscribers) {
        if (subscriber.canTake && !this.#update(subscriber)) subscriber.canTake = subscriber.client.write(alive);
      }
      this.#scheduleAlive();
    });
  }

  #read(): void {
    let snapshot: ConsoleSnapshot;
    try {
      snapshot = withoutSecrets(this.#source.current());
    } catch (error) {
      // The pages keep what they have and see it age.
      this.#log.error('the console could not read its source', { error: messageOf(error) });
      return;
    }
    if (snapshot === this.#latest) return;
    this.#latest = snapshot;
    this.#encoded.clear();
  }

  /** Whether there was anything to send. */
  #update(subscriber: Subscriber): boolean {
    if (!subscriber.canTake || subscriber.sent === this.#latest || !this.#subscribers.has(subscriber)) return false;
    const text = this.#patchFrom(subscriber.sent);
    subscriber.sent = this.#latest;
    if (text === undefined) return false;
    subscriber.canTake = subscriber.client.write(text);
    return true;
  }

  #patchFrom(sent: ConsoleSnapshot): string | undefined {
    if (this.#encoded.has(sent)) return this.#encoded.get(sent);
    const patch = diffSnapshots(sent, this.#latest);
    const text = patch === undefined ? undefined : encodeMessage({ kind: 'patch', sentAt: this.#clock.now(), patch });
    this.#encoded.set(sent, text);
    return text;
  }
}
