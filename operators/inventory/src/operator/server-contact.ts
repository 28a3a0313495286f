import { type Clock, pause } from '@quartermaster/kernel';
import { type KubeClient, serverVersion } from '@quartermaster/kube';

export interface ServerContactOptions {
  readonly client: Pick<KubeClient, 'transport'>;
  readonly clock: Clock;
  /** Called after every answer. */
  readonly confirmed: () => void;
}

const everyMs = 10_000;
const timeoutMs = 5_000;

/**
 * When the API server was last heard. A quiet cluster says nothing on its watches for a minute at a time: while they are open, an answer to a small question
 * is what confirms that nothing changed.
 */
export class ServerContact {
  readonly #options: ServerContactOptions;
  #confirmedAt = 0;

  constructor(options: ServerContactOptions) {
    this.#options = options;
  }

  /** Milliseconds since the epoch; 0 before the first answer. */
  get confirmedAt(): number {
    return this.#confirmedAt;
  }

  /** Asks again and again. A server that does not answer is told of by the caches that cannot be followed. */
  async run(signal: AbortSignal): Promise<void> {
    const { client, clock, confirmed } = this.#options;
    while (!signal.aborted) {
      try {
        await serverVersion(client.transport, { timeoutMs, signal });
        this.#confirmedAt = clock.now();
        confirmed();
      } catch {
        // What was confirmed last keeps its age.
      }
      await pause(clock, everyMs, signal);
    }
  }
}
