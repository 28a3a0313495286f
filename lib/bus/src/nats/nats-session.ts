import type { ConsumerMessages } from '@nats-io/jetstream';
import { Backoff, messageOf, sleep } from '@quartermaster/kernel';
import type { Feed } from '../bus/backend.ts';
import type { BusSettings } from '../bus/bus-options.ts';
import type { NatsLink } from './nats-link.ts';

export interface NatsSessionOptions {
  readonly link: NatsLink;
  readonly settings: BusSettings;
  /** For logs and errors, after "cannot". */
  readonly doing: string;
  /** Asks the server for messages, unless the signal has aborted. Called again whenever the last ones have ended. */
  readonly open: (signal: AbortSignal) => Promise<ConsumerMessages>;
  /** Resolves when the messages have ended and nothing of them is being worked on. */
  readonly read: (messages: ConsumerMessages, closing: AbortSignal) => Promise<void>;
}

/**
 * Keeps messages coming until it is closed: when they end, fail, or the connection was lost meanwhile, it asks the server anew,
 * with growing waits after failures. Resolves when the server has answered once, unless the signal aborts first.
 */
export async function startNatsSession(options: NatsSessionOptions, signal: AbortSignal): Promise<Feed> {
  const closing = new AbortController();
  const first = await options.link.persistently(options.doing, signal, options.open);
  const ended = keepReading(options, first, closing.signal);
  return {
    close: () => {
      closing.abort();
      return ended;
    },
  };
}

async function keepReading(options: NatsSessionOptions, first: ConsumerMessages, closing: AbortSignal): Promise<void> {
  const { link, settings, doing } = options;
  const backoff = new Backoff(settings.backoff, settings.random);
  let messages: ConsumerMessages | undefined = first;
  while (!closing.aborted) {
    try {
      messages ??= await link.persistently(doing, closing, options.open);
      await readOnce(options, messages, closing);
      backoff.reset();
    } catch (error) {
      if (closing.aborted) return;
      settings.log.warn('delivery from NATS was interrupted', { doing, error: messageOf(error) });
      await sleep(settings.clock, backoff.nextMs(), closing).catch(() => undefined);
    }
    messages = undefined;
  }
}

async function readOnce({ link, read }: NatsSessionOptions, messages: ConsumerMessages, closing: AbortSignal): Promise<void> {
  const end = (): void => void messages.close();
  const forget = link.onReconnect(end);
  closing.addEventListener('abort', end, { once: true });
  if (closing.aborted) end();
  try {
    await read(messages, closing);
  } finally {
    forget();
    closing.removeEventListener('abort', end);
    end();
  }
}
