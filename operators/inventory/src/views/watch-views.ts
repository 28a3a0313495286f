import type { StreamMessage } from '@quartermaster/api/inventory-views';
import type { ViewFeed } from './view-feed.ts';

/** Views as a stream: whoever asks for the next message has taken those before it. Ends when the signal aborts. */
export async function* watchViews(
  feed: Pick<ViewFeed, 'subscribe'>,
  addresses: readonly string[],
  signal: AbortSignal,
): AsyncGenerator<StreamMessage, void, undefined> {
  const waiting: StreamMessage[] = [];
  let wake = (): void => {};
  const write = (messages: readonly StreamMessage[]): boolean => {
    waiting.push(...messages);
    wake();
    return false;
  };
  const subscription = feed.subscribe({ write }, addresses);
  const end = (): void => wake();
  signal.addEventListener('abort', end);
  try {
    while (!signal.aborted) {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) yield next;
      const { promise, resolve } = Promise.withResolvers<void>();
      wake = resolve;
      subscription.resume();
      if (waiting.length === 0 && !signal.aborted) await promise;
    }
  } finally {
    signal.removeEventListener('abort', end);
    subscription.end();
  }
}
