import { type Bus, type BusOptions, type EventTopic, eventTopic, type StateTopic, stateTopic } from '@quartermaster/bus';
import { seededRandom } from '@quartermaster/kernel';
import { afterEach, vi } from 'vitest';

/** What a bus is tried on: a server, or what stands for one, that is empty at first. */
export interface BusServer {
  connect(options?: BusOptions): Promise<Bus>;
  stop(): Promise<void>;
}

export type StartBusServer = (options: BusOptions) => Promise<BusServer>;

/** Short waits, so that a test of retries takes milliseconds. */
export const quick: BusOptions = {
  retry: { maxAttempts: 3, backoff: { firstMs: 4, maxMs: 20, factor: 2 } },
  backoff: { firstMs: 10, maxMs: 100, factor: 2 },
  timeoutMs: 20_000,
  random: seededRandom(11),
};

export interface Note {
  readonly text: string;
}

export interface BusFixture {
  /** A client of a new server with these options. */
  start(options?: BusOptions): Promise<Bus>;
  /** A further client of the newest server. */
  connect(options?: BusOptions): Promise<Bus>;
}

/** Gives each test servers and clients of its own, and ends them after it. */
export function useBus(startServer: StartBusServer): BusFixture {
  let servers: BusServer[] = [];
  let buses: Bus[] = [];
  afterEach(async () => {
    await Promise.all(buses.map((bus) => bus.close(AbortSignal.timeout(2_000))));
    await Promise.all(servers.map((server) => server.stop()));
    servers = [];
    buses = [];
  });
  const connect = async (options: BusOptions = {}): Promise<Bus> => {
    const server = servers.at(-1);
    if (server === undefined) throw new Error('start a server first');
    const bus = await server.connect({ ...quick, ...options });
    buses.push(bus);
    return bus;
  };
  return {
    start: async (options = {}) => {
      servers.push(await startServer({ ...quick, ...options }));
      return connect(options);
    },
    connect,
  };
}

export const notes = (name = 'notes'): StateTopic<Note> => stateTopic<Note>(name);

export const orders = (...groups: string[]): EventTopic<Note> =>
  eventTopic<Note>('orders', { groups: groups.length === 0 ? ['a'] : groups });

export const note = (text: unknown): Note => ({ text: String(text) });

/** Something that a handler waits for. */
export interface Gate {
  readonly opened: Promise<void>;
  open(): void;
}

export function gate(): Gate {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { opened: promise, open: () => resolve() };
}

/** Waits until the assertion holds. */
export function eventually(assertion: () => void | Promise<void>): Promise<void> {
  return vi.waitFor(assertion, { timeout: 30_000, interval: 5 });
}

/** Lets everything that is already on its way arrive: later news of the same kind has come through, so earlier would have. */
export async function afterNews(bus: Bus, marker = 'marker'): Promise<void> {
  const topic = eventTopic<Note>('markers', { groups: ['marker'] });
  const seen = new Set<string>();
  const subscription = await bus.subscribe(topic, ({ value }) => void seen.add(value.text), { group: 'marker' });
  await bus.publish(topic, note(marker));
  await eventually(() => {
    if (!seen.has(marker)) throw new Error('the marker has not come yet');
  });
  await subscription.close();
}
