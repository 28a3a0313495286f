import { Backoff, type Clock, type Log, messageOf, type Random } from '@quartermaster/kernel';
import pg from 'pg';
import { toStatusError } from './database-failure.ts';

interface ListenerOptions {
  readonly config: pg.ClientConfig;
  readonly channel: string;
  readonly onWake: (payload: string | undefined) => void;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
}

/**
 * One connection that waits for notifications. When it breaks it comes back by itself, and wakes once then: what was sent in between is lost, and
 * whoever is woken has to look.
 */
export class Listener {
  readonly #options: ListenerOptions;
  readonly #backoff: Backoff;
  #client: pg.Client | undefined;
  #cancelRetry = (): void => {};
  #isClosed = false;

  constructor(options: ListenerOptions) {
    this.#options = options;
    this.#backoff = new Backoff({ firstMs: 100, maxMs: 5_000, factor: 2 }, options.random);
    void this.#connect();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#cancelRetry();
    await this.#client?.end().catch(() => {});
  }

  async #connect(): Promise<void> {
    const { config, channel, onWake, clock, log } = this.#options;
    // It is idle by nature: only the connection itself may fail, which keep-alive probes find out.
    const client = new pg.Client({ ...config, statement_timeout: false, query_timeout: 0, keepAliveInitialDelayMillis: 10_000 });
    let isOver = false;
    const lost = (reason: unknown): void => {
      if (isOver) return;
      isOver = true;
      void client.end().catch(() => {});
      if (this.#isClosed) return;
      const afterMs = this.#backoff.nextMs();
      log.debug('connection for notifications lost', { reason: messageOf(toStatusError(reason)), afterMs });
      this.#cancelRetry = clock.schedule(afterMs, () => void this.#connect());
    };
    client.on('error', lost);
    client.on('end', () => lost(new Error('ended')));
    client.on('notification', ({ payload }) => onWake(payload));
    this.#client = client;
    try {
      await client.connect();
      await client.query(`listen ${pg.escapeIdentifier(channel)}`);
      this.#backoff.reset();
      onWake(undefined);
      if (this.#isClosed) await client.end();
    } catch (thrown) {
      lost(thrown);
    }
  }
}
