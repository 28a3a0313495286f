import type { EventTopic, StateTopic } from '@quartermaster/kernel';
import type { Generation } from '../topics/generation.ts';

/** The value of a state topic under one key. */
export interface StateMessage<T> {
  /** Empty where the topic is used without keys. */
  readonly key: string;
  readonly value: T;
  readonly generation: Generation;
  /** When the bus took it, by the bus's clock. */
  readonly publishedAt: Date;
}

export interface EventMessage<T> {
  /** The same at every delivery of one event: what a handler that must not act twice remembers. */
  readonly id: string;
  /** Empty when it was published without one. */
  readonly key: string;
  readonly value: T;
  readonly publishedAt: Date;
  /** 1 at the first delivery to this group. */
  readonly attempt: number;
}

/** An event that a group could not handle, set aside so that those behind it go on. */
export interface DeadLetter {
  readonly id: string;
  readonly key: string;
  readonly bytes: Uint8Array;
  readonly publishedAt: Date;
  readonly attempts: number;
  /** The text of the last error. */
  readonly reason: string;
}

/** The signal aborts when the subscription is being closed: a handler that waits should pass it on, then throw. */
export type Handler<M> = (message: M, signal: AbortSignal) => Promise<void> | void;

export interface Subscription {
  /** Takes nothing new, then resolves when the handlers that run have ended and their events are acknowledged. Idempotent. */
  close(): Promise<void>;
}

export interface PublishOptions {
  /** Events of one key are handled in the order in which one publisher published them. States have one value per key. */
  readonly key?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface PublishEventOptions extends PublishOptions {
  /** Publishing the same id again within two minutes has no effect, so that a caller who does not know may repeat. */
  readonly id?: string | undefined;
}

export interface StateSubscribeOptions {
  /** Values of this key only; all keys when absent. */
  readonly key?: string | undefined;
  /** Closes the subscription. */
  readonly signal?: AbortSignal | undefined;
}

export interface EventSubscribeOptions {
  /** One that the topic declares. Its subscribers share the events among them. */
  readonly group: string;
  /** Closes the subscription. */
  readonly signal?: AbortSignal | undefined;
}

export interface BusStatus {
  readonly kind: 'memory' | 'nats';
  readonly state: 'connected' | 'reconnecting' | 'closed';
  readonly reconnects: number;
  readonly counters: Readonly<BusCounters>;
}

export interface BusCounters {
  statesPublished: number;
  /** Values that a handler took. */
  statesHandled: number;
  /** Values that a slow handler never saw, because a newer one came first. */
  statesSkipped: number;
  eventsPublished: number;
  eventsHandled: number;
  /** Events that a handler threw at and that will be delivered again. */
  eventsRetried: number;
  eventsDeadLettered: number;
}

/** Typed topics of two kinds between the parts of the system. Every failure is a StatusError. */
export interface Bus {
  /**
   * Overwrites the value of the key; resolves when the bus has it. Of values that wait for the bus only the newest is sent,
   * and all of their callers get its generation.
   */
  publish<T>(topic: StateTopic<T>, value: T, options?: PublishOptions): Promise<Generation>;
  /**
   * Resolves with the event's id when the bus holds it for every group. Waits while the bus is full or away, and fails with
   * `unavailable` when that lasts too long: the event may have been taken all the same, so repeat it with the same id.
   */
  publish<T>(topic: EventTopic<T>, value: T, options?: PublishEventOptions): Promise<string>;

  /**
   * Calls the handler with the current value of each key, then with newer ones, one at a time per key. While it runs, only the
   * newest of what comes is kept for it. A value that it throws at is tried again, later, unless a newer one came.
   */
  subscribe<T>(topic: StateTopic<T>, handler: Handler<StateMessage<T>>, options?: StateSubscribeOptions): Promise<Subscription>;
  /**
   * Calls the handler with every event that the group has not acknowledged, events of one key one at a time and in order.
   * Returning acknowledges. Throwing has it delivered again, with growing waits; after too many times, or at once for
   * `invalid_argument`, the event becomes a dead letter and is reported.
   */
  subscribe<T>(topic: EventTopic<T>, handler: Handler<EventMessage<T>>, options: EventSubscribeOptions): Promise<Subscription>;

  /** The value now; undefined when nothing was ever published under the key. */
  current<T>(topic: StateTopic<T>, options?: StateSubscribeOptions): Promise<StateMessage<T> | undefined>;

  /** What the group could not handle, oldest first. */
  deadLetters(topic: EventTopic<unknown>, options: EventSubscribeOptions): Promise<DeadLetter[]>;

  status(): BusStatus;

  /**
   * Closes every subscription as `Subscription.close` does, then the bus; what still waits to be published fails. Once the
   * signal aborts it no longer waits for handlers: their events are delivered again to others. Idempotent.
   */
  close(signal?: AbortSignal): Promise<void>;
}
