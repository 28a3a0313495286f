import type { Bus, Generation, PublishOptions, StateTopic } from '@quartermaster/bus';

/** Publishes states on a bus that need not be there yet: each try connects if nothing has, and fails alone when it cannot. */
export class NatsPublisher {
  readonly #servers: readonly string[];
  readonly #name: string;
  #bus: Promise<Bus> | undefined;

  constructor(servers: readonly string[], name: string) {
    this.#servers = servers;
    this.#name = name;
  }

  async publish<T>(topic: StateTopic<T>, value: T, options?: PublishOptions): Promise<Generation> {
    this.#bus ??= this.#connect();
    const connecting = this.#bus;
    const bus = await connecting.catch((error: unknown) => {
      if (this.#bus === connecting) this.#bus = undefined;
      throw error;
    });
    return await bus.publish(topic, value, options);
  }

  async #connect(): Promise<Bus> {
    const { connectNatsBus } = await import('@quartermaster/bus');
    return await connectNatsBus({ servers: this.#servers, name: this.#name });
  }

  async close(): Promise<void> {
    const bus = await this.#bus?.catch(() => undefined);
    await bus?.close();
  }
}
