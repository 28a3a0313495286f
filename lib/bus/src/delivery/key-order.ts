import { abortable, abortReason } from './deadline.ts';

/** Runs tasks of one key one after the other, in the order in which they came, and those of different keys side by side. */
export class KeyOrder {
  readonly #ended = new Map<string, Promise<unknown>>(); // key -> resolves when all of its tasks so far have ended

  /** A task whose signal aborts before its turn fails at once and never runs; those behind it keep their place. */
  run<R>(key: string, task: () => Promise<R>, signal: AbortSignal): Promise<R> {
    const before = this.#ended.get(key);
    const result = before === undefined ? task() : takeTurn(before, task, signal);
    const ended = Promise.allSettled([before, result]);
    this.#ended.set(key, ended);
    void ended.then(() => {
      if (this.#ended.get(key) === ended) this.#ended.delete(key);
    });
    return result;
  }
}

async function takeTurn<R>(before: Promise<unknown>, task: () => Promise<R>, signal: AbortSignal): Promise<R> {
  try {
    await abortable(before, signal);
  } catch {
    throw abortReason(signal, 'earlier messages of the same key are waiting as well');
  }
  return task();
}
