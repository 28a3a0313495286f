import { type Clock, pause, StatusError } from '@quartermaster/kernel';
import type { CacheEntry, CacheListener } from '@quartermaster/kube';
import { type SeenEvent, type TenantEvent, tenantEvent } from './tenant-event.ts';

/** Events of a namespace, as long as they are followed. */
export interface FollowedEvents {
  subscribe(listener: CacheListener<SeenEvent>): () => void;
  whenSynced(signal: AbortSignal): Promise<void>;
  stop(): void;
}

export interface EventSource {
  open(namespace: string): FollowedEvents;
  readonly clock: Clock;
}

/** What comes anew and waits for a tenant that reads slowly; more of it than this is left out, the oldest first. */
const mostWaiting = 1_000;
const answerWithinMs = 10_000;

/** Sends the events of a namespace: those that there are, and with `follow` those that come. */
export async function streamEvents(
  source: EventSource,
  { namespace, follow }: { readonly namespace: string; readonly follow: boolean },
  send: (event: TenantEvent) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  const events = source.open(namespace);
  const waiting: SeenEvent[] = [];
  let news = Promise.withResolvers<void>();
  let isListed = false;
  const take = ({ value }: CacheEntry<SeenEvent>): void => {
    waiting.push(value);
    if (isListed && waiting.length > mostWaiting) waiting.shift();
    news.resolve();
  };
  const unsubscribe = events.subscribe({ added: take, updated: take });
  const isOver = (): void => news.resolve();
  signal.addEventListener('abort', isOver);
  try {
    const tooLate = pause(source.clock, answerWithinMs, signal).then(() => {
      throw new StatusError('unavailable', 'the events cannot be read at the moment: try again');
    });
    await Promise.race([events.whenSynced(signal), tooLate]);
    isListed = true;
    // A list has no order.
    waiting.sort((a, b) => a.at - b.at);
    for (;;) {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
        const told = tenantEvent(next);
        if (told !== undefined) await send(told);
      }
      if (!follow) return;
      await news.promise;
      news = Promise.withResolvers();
      signal.throwIfAborted();
    }
  } finally {
    signal.removeEventListener('abort', isOver);
    unsubscribe();
    events.stop();
  }
}
