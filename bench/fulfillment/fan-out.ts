import { setTimeout as pause } from 'node:timers/promises';
import { create, toBinary } from '@bufbuild/protobuf';
import { Events, EventsWatchRequestSchema } from '@quartermaster/api/private';
import { GrpcConnection } from './grpc-connection.ts';
import { percentile } from './load.ts';
import type { ServiceReady } from './protocol.ts';
import { pathOf, Requests } from './requests.ts';

export interface FanOut {
  /** Events that the watchers got together. */
  readonly perSecond: number;
  /** From before a write until the last watcher had it. */
  readonly p99Ms: number;
}

const watcherCount = 100;
const writers = 4;
const writeMs = 6000;
const slowWrites = 200;
const slowEveryMs = 50;
const settleMs = 5000;
const patienceMs = 60_000;
/** The bookmark that says that a watch has begun is smaller than any host. */
const smallestEvent = 200;

/** Watchers with a connection each. Messages are counted, not read: this process shares the cores with the server. */
class Watchers {
  readonly #connections: GrpcConnection[];
  #events = 0;
  #wanted = 0;
  #onWanted: () => void = () => {};

  constructor(address: string, token: string) {
    const request = toBinary(EventsWatchRequestSchema, create(EventsWatchRequestSchema));
    this.#connections = Array.from({ length: watcherCount }, () => {
      const connection = new GrpcConnection(address, token);
      connection.stream(`/${Events.typeName}/${Events.method.watch.name}`, request, ({ length }) => {
        if (length < smallestEvent) return;
        this.#events += 1;
        if (this.#events === this.#wanted) this.#onWanted();
      });
      return connection;
    });
  }

  get events(): number {
    return this.#events;
  }

  /** Until all of them together have so many events. */
  async have(events: number): Promise<void> {
    if (this.#events >= events) return;
    const timeout = new AbortController();
    const reached = new Promise<void>((resolve) => {
      this.#wanted = events;
      this.#onWanted = resolve;
    });
    await Promise.race([reached, pause(patienceMs, undefined, { signal: timeout.signal }).then(() => this.#giveUp(events))]);
    timeout.abort();
  }

  close(): void {
    for (const connection of this.#connections) connection.close();
  }

  #giveUp(events: number): never {
    throw new Error(`the watchers got ${this.#events} of ${events} events`);
  }
}

export async function fanOut({ addresses, token }: ServiceReady, design: 'ours' | 'plain'): Promise<FanOut> {
  const watchers = new Watchers(addresses[design], token);
  const connection = new GrpcConnection(addresses[design], token);
  const requests = new Requests();
  const write = () => connection.unary(pathOf('update-masked'), requests.bytes('update-masked'));
  try {
    // All watches have begun when one event reached all.
    await pause(settleMs);
    await write();
    await watchers.have(watcherCount);
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
    await pause(Math.max(0, slowEveryMs - (performance.now() - startedAt)));
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
