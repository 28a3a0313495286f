/** What a bus is made of below types: bytes under names. The memory and NATS implement it, `TypedBus` does the rest. */

import type { DeliveryVerdict } from '../delivery/verdict.ts';
import type { Generation } from '../topics/generation.ts';
import type { DeadLetter } from './bus.ts';
import type { Carried } from './message-context.ts';

/** A value as bytes, and what travels with it. */
export interface Content {
  readonly bytes: Uint8Array;
  readonly carried: Carried;
}

export interface RawState extends Content {
  readonly key: string;
  readonly generation: Generation;
  readonly publishedAt: Date;
}

export interface NewEvent extends Content {
  readonly id: string;
  readonly key: string;
}

export interface RawEvent extends NewEvent {
  readonly publishedAt: Date;
  readonly attempt: number;
}

export interface TopicGroups {
  readonly name: string;
  readonly groups: readonly string[];
}

/** Something that is being delivered. `close` stops it and resolves when nothing of it runs any more. Idempotent. */
export interface Feed {
  close(): Promise<void>;
}

export interface BusBackend {
  readonly kind: 'memory' | 'nats';

  /** Retries until it is stored or the signal aborts. Never called twice at a time for one key of a topic. */
  putState(topic: string, key: string, content: Content, signal: AbortSignal): Promise<Generation>;
  /** Stores without waiting; only backends that never have to wait have it. */
  readonly putStateNow?: (topic: string, key: string, content: Content) => Generation;
  getState(topic: string, key: string, signal: AbortSignal): Promise<RawState | undefined>;
  /** Tells current and new values of the key, or of all, as they come; may tell one twice. The callback returns at once. */
  watchStates(topic: string, key: string | undefined, onState: (state: RawState) => void, signal: AbortSignal): Promise<Feed>;

  /** Retries until it is stored or the signal aborts. Never called twice at a time for one key of a topic. */
  putEvent(topic: TopicGroups, event: NewEvent, signal: AbortSignal): Promise<void>;
  /** Runs events of one lane one at a time and in order, and does with each what the verdict says. `run` never throws. */
  consumeEvents(topic: TopicGroups, group: string, run: (event: RawEvent) => Promise<DeliveryVerdict>, signal: AbortSignal): Promise<Feed>;
  deadLetters(topic: string, group: string, signal: AbortSignal): Promise<DeadLetter[]>;

  link(): { readonly state: 'connected' | 'reconnecting' | 'closed'; readonly reconnects: number };
  close(): Promise<void>;
}
