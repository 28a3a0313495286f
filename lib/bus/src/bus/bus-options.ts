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
  readonly clock?: Clock | undefined;
  readonly random?: Random | undefined;
  readonly log?: Log | undefined;
  /** Passes the trace of whoever publishes on to whoever handles. Nothing is passed on unless given. */
  readonly context?: MessageContext | undefined;
  /** How often and after which waits an event that a handler threw at is delivered again. */
  readonly retry?: RetryPolicy | undefined;
  /** Waits after a handler of a state threw, and between tries to reach a server. */
  readonly backoff?: BackoffOptions | undefined;
  /** How long a call waits for room or for the server before it fails with `unavailable`; a state behind another, twice as long. */
  readonly timeoutMs?: number | undefined;
  /** How many events of a topic wait before publishers have to. */
  readonly maxPendingEvents?: number | undefined;
  /** How many dead letters are kept before failing events are retried without end instead. */
  readonly maxDeadLetters?: number | undefined;
}

export type BusSettings = { readonly [K in keyof BusOptions]-?: NonNullable<BusOptions[K]> };

const defaultSettings: BusSettings = {
  clock: systemClock,
  random: systemRandom,
  log: silentLog,
  context: noContext,
  retry: defaultRetryPolicy,
  backoff: defaultBackoff,
  timeoutMs: 30_000,
  maxPendingEvents: 10_000,
  maxDeadLetters: 10_000,
};

export function busSettings(options: BusOptions, defaults: BusSettings = defaultSettings): BusSettings {
  return {
    clock: options.clock ?? defaults.clock,
    random: options.random ?? defaults.random,
    log: options.log ?? defaults.log,
    context: options.context ?? defaults.context,
    retry: options.retry ?? defaults.retry,
    backoff: options.backoff ?? defaults.backoff,
    timeoutMs: options.timeoutMs ?? defaults.timeoutMs,
    maxPendingEvents: options.maxPendingEvents ?? defaults.maxPendingEvents,
    maxDeadLetters: options.maxDeadLetters ?? defaults.maxDeadLetters,
  };
}
