import { type Clock, StatusError } from '@quartermaster/kernel';

export interface Deadline {
  readonly clock: Clock;
  readonly afterMs: number;
  /** What the signal aborts with when time is up. */
  readonly reason: () => Error;
  /** Further signals that end it, with their reasons. */
  readonly signals: readonly (AbortSignal | undefined)[];
}

/** Runs a task with a signal that aborts when time is up or one of the signals does. The task has to heed it. */
export async function withDeadline<R>(task: (signal: AbortSignal) => Promise<R>, deadline: Deadline): Promise<R> {
  const controller = new AbortController();
  const cancel = deadline.clock.schedule(deadline.afterMs, () => controller.abort(deadline.reason()));
  const signals = deadline.signals.filter((signal) => signal !== undefined);
  const forward = (event: Event): void => controller.abort((event.target as AbortSignal).reason);
  for (const signal of signals) {
    if (signal.aborted) controller.abort(signal.reason);
    signal.addEventListener('abort', forward, { once: true });
  }
  try {
    controller.signal.throwIfAborted();
    return await task(controller.signal);
  } finally {
    cancel();
    for (const signal of signals) signal.removeEventListener('abort', forward);
  }
}

/** The promise, or the signal's reason when that comes first. */
export async function abortable<R>(promise: Promise<R>, signal: AbortSignal | undefined): Promise<R> {
  if (signal === undefined) return promise;
  let abort: (() => void) | undefined;
  const aborted = new Promise<never>((_resolve, reject) => {
    abort = () => reject(signal.reason);
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort, { once: true });
  });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    if (abort !== undefined) signal.removeEventListener('abort', abort);
  }
}

/** Why a call ended with its signal: when time was up, with what it had waited for. */
export function abortReason(signal: AbortSignal, waitedFor: string): unknown {
  const reason: unknown = signal.reason;
  if (!(reason instanceof StatusError) || reason.code !== 'unavailable') return reason;
  return new StatusError('unavailable', `${reason.message}: ${waitedFor}`);
}
