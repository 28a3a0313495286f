import { setTimeout as pause } from 'node:timers/promises';
import { create, toBinary } from '@bufbuild/protobuf';
import { Events, EventsWatchRequestSchema } from '@quartermaster/api/private';
import { GrpcConnection } from '../grpc/grpc-connection.ts';
import { percentile } from './load.ts';
import type { ServedDesign, ServiceReady } from './protocol.ts';
import { pathOf, Requests } from './requests.ts';

export interface FanOut {
  /** Events that the watchers got together. */
  readonly perSecond: number;
  /** From before a write until the last watcher had it. */
  readonly p99Ms: number;
}

const watcherCount = 100;
const writers = 4;
const writeMs = 2000;
const slowWrites = 100;
const slowIntervalMs = 50;
const patienceMs = 60_000;
/** Smaller than this is no host: the first answer, which shows that a watch has begun, and bookmarks. */
const smallestEvent = 200;

/** Watchers with a connection each. Messages are counted, not read: this process shares the cores with the server. */
class Watchers {
  readonly #connections: GrpcConnection[] = [];
  #begun = 0;
  #events = 0;
  #onMessage: () => void = () => {};

  async open(address: string, token: string): Promise<void> {
    const path = `/${Events.typeName}/${Events.method.watch.name}`;
    const request = toBinary(EventsWatchRequestSchema, create(EventsWatchRequestSchema, { bookmarks: true }));
    for (let index = 0; index < watcherCount; index += 1) {
      let hasBegun = false;
      const connection = new GrpcConnection(address, token);
      this.#connections.push(connection);
      connection.stream(path, request, ({ length }) => {
        if (length >= smallestEvent) this.#events += 1;
        else if (!hasBegun) this.#begun += 1;
        hasBegun = true;
        this.#onMessage();
      });
    }
    await this.#until(() => this.#begun === watcherCount);
  }

  get events(): number {
    return this.#events;
  }

  /** Until all of them together have so many events. */
  async have(events: number): Promise<void> {
    await this.#until(() => this.#events >= events);
  }

  close(): void {
    for (const connection of this.#connections) connection.close();
  }

  async #until(isReached: () => boolean): Promise<void> {
    if (isReached()) return;
    const over = new AbortController();
    const reached = new Promise<void>((resolve) => {
      this.#onMessage = () => {
        if (isReached()) resolve();
      };
    });
    const tooLong = pause(patienceMs, undefined, { signal: over.signal }).then(() => {
      throw new Error(`${this.#begun} of ${watcherCount} watches began and got ${this.#events} events; the others did not come in time`);
    });
    await Promise.race([reached, tooLong]);
    tooLong.catch(() => undefined);
    over.abort();
  }
}

export async function fanOut({ addresses, token }: ServiceReady, design: ServedDesign): Promise<FanOut> {
  const watchers = new Watchers();
  const connection = new GrpcConnection(addresses[design], token);
  const requests = new Requests();
  const write = () => connection.unary(pathOf('update-masked'), requests.bytes('update-masked'));
  try {
    await watchers.open(addresses[design], token);
    const p99Ms = await delays(watchers, write);
    const perSecond = await throughput(watchers, write);
    console.error(`watch, ${design}: ${perSecond.toFixed(0)} events/s, p99 ${p99Ms.toFixed(1)} ms`);
    return { perSecond, p99Ms };
  } finally {
    connection.close();
    watchers.close();
  }
}

async function delays(watchers: Watchers, write: () => Promise<unknown>): Promise<number> {
  const durations: number[] = [];
  for (let index = 0; index < slowWrites; index += 1) {
    const startedAt = performance.now();
    const wanted = watchers.events + watcherCount;
    await write();
    await watchers.have(wanted);
    durations.push(performance.now() - startedAt);
    await pause(Math.max(0, slowIntervalMs - (performance.now() - startedAt)));
  }
  return percentile(durations, 0.99);
}

/** The clock runs until the last watcher has the last event. */
async function throughput(watchers: Watchers, write: () => Promise<unknown>): Promise<number> {
  const [before, startedAt] = [watchers.events, performance.now()];
  let written = 0;
  const keepWriting = async (): Promise<void> => {
    for (; performance.now() - startedAt < writeMs; written += 1) await write();
  };
  await Promise.all(Array.from({ length: writers }, keepWriting));
  await watchers.have(before + written * watcherCount);
  return (written * watcherCount) / ((performance.now() - startedAt) / 1000);
}
