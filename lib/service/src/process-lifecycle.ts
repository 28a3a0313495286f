import { constants } from 'node:os';
import { type Clock, type Log, messageOf, systemClock } from '@quartermaster/kernel';
import type { Lifecycle, StopReport } from './lifecycle.ts';

/** What is needed of `process`. */
export interface ProcessHost {
  on(event: string, listener: (...args: unknown[]) => void): unknown;
  off(event: string, listener: (...args: unknown[]) => void): unknown;
  exit(code: number): void;
}

const signals = ['SIGINT', 'SIGTERM'] as const;

/**
 * The same signal within this time after the first is an echo of it: Ctrl-C in a terminal reaches every process of the foreground group,
 * and npm passes its own on to its child once more; service managers that signal a whole group do the same.
 */
const echoMs = 250;

export interface AttachOptions {
  readonly log: Log;
  readonly host?: ProcessHost | undefined;
  readonly clock?: Clock | undefined;
}

/**
 * Ties the end of the process to the lifecycle. The first SIGINT or SIGTERM begins the stop; a second one, or one during a stop for another
 * reason, ends the process at once with 130 or 143. An exception that nobody caught is logged as a bug and begins the stop, too. When the stop is over the process ends: with 0
 * after an orderly stop that someone asked for, with 1 after a failure or when parts did not stop. Returns what takes it all back.
 */
export function attachProcess(lifecycle: Lifecycle, options: AttachOptions): () => void {
  const { log, host = process, clock = systemClock } = options;
  let first: { readonly signal: string; readonly at: number } | undefined;
  const listeners = new Map<string, (...args: unknown[]) => void>(); // event -> listener
  const onSignal = (signal: (typeof signals)[number]): void => {
    if (first?.signal === signal && clock.monotonic() - first.at < echoMs) return;
    first ??= { signal, at: clock.monotonic() };
    if (lifecycle.signal.aborted) {
      log.warn('second signal, exiting immediately', { signal });
      host.exit(128 + constants.signals[signal]);
      return;
    }
    log.info('stopping', { signal });
    void lifecycle.stop({ kind: 'signal', signal });
  };
  for (const signal of signals) listeners.set(signal, () => onSignal(signal));
  for (const event of ['uncaughtException', 'unhandledRejection']) {
    listeners.set(event, (thrown) => {
      log.error('uncaught error, stopping', { event, error: thrown instanceof Error ? thrown : new Error(messageOf(thrown)) });
      void lifecycle.stop({ kind: 'failure', error: thrown });
    });
  }
  for (const [event, listener] of listeners) host.on(event, listener);
  // The timers of the clock do not hold a process, and neither does a promise: without this it could end in the middle of its stop.
  const holdOpen = setInterval(() => {}, 2 ** 30);
  let isAttached = true;
  const detach = (): void => {
    isAttached = false;
    clearInterval(holdOpen);
    for (const [event, listener] of listeners) host.off(event, listener);
  };
  void lifecycle.ended.then((report) => {
    if (!isAttached) return;
    const code = exitCodeOf(report);
    log.info('stopped', { tookMs: report.tookMs, code });
    clearInterval(holdOpen);
    host.exit(code);
  });
  return detach;
}

/** 0 only when the stop was asked for and complete. */
export function exitCodeOf(report: StopReport): number {
  return report.reason.kind === 'failure' || report.notStopped.length > 0 || report.failed.length > 0 ? 1 : 0;
}
