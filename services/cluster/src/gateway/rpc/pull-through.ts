import type { Clock } from '@quartermaster/kernel';
import { closeCodes, StreamEnd } from '../streams/close-codes.ts';

export interface PullOptions {
  readonly clock: Pick<Clock, 'schedule'>;
  /** A reader that takes nothing for so long is cut. */
  readonly slowReaderMs: number;
}

/**
 * Turns a writer that waits until what it sent was taken into a sequence that is read. One value is on its way at a time; the writer ends with the sequence, and the
 * sequence with the writer.
 */
export async function* pullThrough<T>(
  { clock, slowReaderMs }: PullOptions,
  write: (send: (value: T) => Promise<void>, signal: AbortSignal) => Promise<unknown>,
  signal: AbortSignal,
): AsyncGenerator<T, void> {
  const ending = new AbortController();
  const either = AbortSignal.any([signal, ending.signal]);
  let sent = Promise.withResolvers<IteratorResult<T, void>>();
  let taken = Promise.withResolvers<void>();
  const slow = (): void => ending.abort(new StreamEnd(closeCodes.limit, 'nothing was read for too long'));
  const send = async (value: T): Promise<void> => {
    either.throwIfAborted();
    taken = Promise.withResolvers();
    sent.resolve({ done: false, value });
    const { promise, reject } = taken;
    const isOver = (): void => reject(either.reason);
    const cancel = clock.schedule(slowReaderMs, slow);
    either.addEventListener('abort', isOver, { once: true });
    try {
      await promise;
    } finally {
      cancel();
      either.removeEventListener('abort', isOver);
    }
  };
  write(send, either).then(
    () => sent.resolve({ done: true, value: undefined }),
    (thrown: unknown) => sent.reject(thrown),
  );
  try {
    for (;;) {
      const next = await sent.promise;
      if (next.done === true) return;
      sent = Promise.withResolvers();
      // Whoever asks for the next one has taken this one.
      yield next.value;
      taken.resolve();
    }
  } finally {
    ending.abort(new StreamEnd(closeCodes.done, 'the reader has left'));
    sent.promise.catch(() => {});
  }
}
