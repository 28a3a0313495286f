import type { StreamConfig, StreamInfo } from '@nats-io/jetstream';
import { jetStreamCode, jetStreamCodes } from './nats-errors.ts';
import type { NatsLink } from './nats-link.ts';

/** Makes the stream, or gives an existing one this configuration. Idempotent, also among processes that do it at once. */
export async function ensureStream(link: NatsLink, config: Partial<StreamConfig> & { name: string }): Promise<StreamInfo> {
  try {
    return await link.manager.streams.add(config);
  } catch (error) {
    if (jetStreamCode(error) !== jetStreamCodes.streamNameInUse) throw error;
    const { name, ...changes } = config;
    return link.manager.streams.update(name, changes);
  }
}

/** Remembers the result of a set-up until it fails or is forgotten; callers that come meanwhile share one. */
export class Once<R> {
  readonly #task: () => Promise<R>;
  #result: Promise<R> | undefined;

  constructor(task: () => Promise<R>) {
    this.#task = task;
  }

  async get(): Promise<R> {
    this.#result ??= this.#task();
    const result = this.#result;
    try {
      return await result;
    } catch (error) {
      if (this.#result === result) this.#result = undefined;
      throw error;
    }
  }

  forget(): void {
    this.#result = undefined;
  }
}
