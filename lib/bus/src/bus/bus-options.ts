import {
  type BackoffOptions,
  type Clock,
  defaultBackoff,
  type Log,
  type Random,
  silentLog,
  systemClock,
  systemRandom,
} from '@quartermaster/kernel';
import { defaultRetryPolicy, type RetryPolicy } from '../delivery/verdict.ts';
import { type MessageContext, noContext } from './message-context.ts';

/** The options of every bus. All have defaults. */
export interface BusOptions {
  readonly clock?: Clock;
  readonly random?: Random;
  readonly log?: Log;
  /** Passes the trace of whoever publishes on to whoever handles. Nothing is passed on unless given. */
  readonly context?: MessageContext;
  /** How often and after which waits an event that a handler threw at is delivered again. */
  readonly retry?: RetryPolicy;
  /** Waits after a handler of a state threw, and between tries to reach a server. */
  readonly backoff?: BackoffOptions;
  /** How long a call waits for room or for the server before it fails with `unavailable`; a state behind another, twice as long. */
  readonly timeoutMs?: number;
  /** How many events of a topic wait before publishers have to. */
  readonly eventCapacity?: number;
  /** How many events may be parked before a group's failing events are retried without end instead. */
  readonly parkedCapacity?: number;
}

export type BusSettings = Required<BusOptions>;

export function busSettings(options: BusOptions): BusSettings {
  return {
    clock: options.clock ?? systemClock,
    random: options.random ?? systemRandom,
    log: options.log ?? silentLog,
    context: options.context ?? noContext,
    retry: options.retry ?? defaultRetryPolicy,
    backoff: options.backoff ?? defaultBackoff,
    timeoutMs: options.timeoutMs ?? 30_000,
    eventCapacity: options.eventCapacity ?? 10_000,
    parkedCapacity: options.parkedCapacity ?? 10_000,
  };
}
