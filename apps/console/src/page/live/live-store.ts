import { Backoff, type Clock, type Random } from '@quartermaster/kernel';
import type { ConsoleSnapshot } from '../../console-source.ts';
import { applyPatch } from '../../snapshot-patch.ts';
import { aliveEveryMs, type StreamMessage } from '../../stream-message.ts';
import type { Connection } from '../model/freshness.ts';

/** Opens the stream. Exactly one of the two callbacks ends an attempt: `failed`, or the returned function. */
export type OpenStream = (events: StreamEvents) => () => void;

interface StreamEvents {
  readonly message: (message: StreamMessage) => void;
  readonly failed: () => void;
}

export interface LiveState {
  /** What was last known. It outlives every connection. */
  readonly snapshot: ConsoleSnapshot | undefined;
  readonly connection: Connection;
  /** By the server's clock, like every other moment of the snapshot. */
  readonly heardAt: number | undefined;
  /** What to add to this machine's clock to get the server's. */
  readonly clockOffsetMs: number;
}

/** A stream that was silent this long is dead, whatever the connection says. */
const silentAfterMs = 3 * aliveEveryMs;

const reconnectBackoff = { firstMs: 500, maxMs: 10_000, factor: 2 };

/**
 * Follows the server's stream and keeps what it said. Connects, and connects again after every break with growing, jittered
 * waits, until stopped.
 */
export class LiveStore {
  readonly #open: OpenStream;
  readonly #clock: Clock;
  readonly #backoff: Backoff;
  readonly #listeners = new Set<() => void>();
  #state: LiveState = { snapshot: undefined, connection: { kind: 'connecting' }, heardAt: undefined, clockOffsetMs: 0 };
  #closeStream: (() => void) | undefined;
  #cancelTimer: (() => void) | undefined;
  #brokenSince: number | undefined;

  constructor(open: OpenStream, clock: Clock, random: Random) {
    this.#open = open;
    this.#clock = clock;
    this.#backoff = new Backoff(reconnectBackoff, random);
  }

  readonly current = (): LiveState => this.#state;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };

  start(): void {
    this.#connect();
  }

  stop(): void {
    this.#drop();
    this.#listeners.clear();
  }

  /** Tries at once instead of after the wait, as when the machine wakes up. */
  reconnectNow(): void {
    if (this.#state.connection.kind === 'broken') this.#connect();
  }

  #connect(): void {
    this.#drop();
    this.#closeStream = this.#open({
      message: (message) => this.#take(message),
      failed: () => this.#broke(),
    });
    this.#expectSound();
  }

  #take(message: StreamMessage): void {
    this.#backoff.reset();
    this.#brokenSince = undefined;
    this.#expectSound();
    this.#set({
      snapshot: this.#snapshotAfter(message),
      connection: { kind: 'open' },
      heardAt: message.sentAt,
      clockOffsetMs: message.sentAt - this.#clock.now(),
    });
  }

  #snapshotAfter(message: StreamMessage): ConsoleSnapshot | undefined {
    const { snapshot } = this.#state;
    switch (message.kind) {
      case 'snapshot':
        return message.snapshot;
      case 'patch':
        return snapshot === undefined ? undefined : applyPatch(snapshot, message.patch);
      case 'alive':
        return snapshot;
    }
  }

  #broke(): void {
    this.#drop();
    const waitMs = this.#backoff.nextMs();
    const now = this.#clock.now() + this.#state.clockOffsetMs;
    this.#brokenSince ??= now;
    this.#set({ ...this.#state, connection: { kind: 'broken', since: this.#brokenSince, retryAt: now + waitMs } });
    this.#cancelTimer = this.#clock.schedule(waitMs, () => this.#connect());
  }

  #expectSound(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = this.#clock.schedule(silentAfterMs, () => this.#broke());
  }

  #drop(): void {
    this.#cancelTimer?.();
    this.#closeStream?.();
    this.#closeStream = undefined;
  }

  #set(state: LiveState): void {
    this.#state = state;
    for (const listener of this.#listeners) listener();
  }
}
