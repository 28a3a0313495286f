import type { Subscription } from './bus.ts';

/** The open subscriptions of a bus: each closes once, by itself, by its signal or with all the others. */
export class Subscriptions {
  readonly #open = new Set<Subscription>();

  add(close: () => Promise<void>, signal: AbortSignal | undefined): Subscription {
    let closed: Promise<void> | undefined;
    const abort = (): void => void subscription.close();
    const subscription: Subscription = {
      close: () => {
        closed ??= close().finally(() => {
          signal?.removeEventListener('abort', abort);
          this.#open.delete(subscription);
        });
        return closed;
      },
    };
    this.#open.add(subscription);
    if (signal?.aborted === true) abort();
    else signal?.addEventListener('abort', abort, { once: true });
    return subscription;
  }

  async closeAll(): Promise<void> {
    await Promise.all([...this.#open].map((subscription) => subscription.close()));
  }
}
