import { nodesTopic, type SummaryHead } from '@quartermaster/api/inventory-views';
import { FakeClock, seededRandom } from '@quartermaster/kernel';
import { describe, expect, it } from 'vitest';
import { LiveStore, type OpenStream } from './live-store.ts';

const summary: SummaryHead = {
  observedAt: 0,
  stale: [],
  needs: { all: 0, storage: 0 },
  nodeCount: 0,
  readyCount: 0,
  nodesByState: [],
  podCount: 0,
  gpuModels: [],
  cpuMillis: 0,
  usableCpuMillis: 0,
  memoryBytes: 0,
  usableMemoryBytes: 0,
};
const hello = (sentAt: number) => ({ kind: 'state', sentAt, topic: 'summary', state: { head: summary, rows: [] } }) as const;

class Streams {
  readonly opened: { readonly addresses: readonly string[]; readonly events: Parameters<OpenStream>[1] }[] = [];
  closed = 0;
  readonly open: OpenStream = (addresses, events) => {
    this.opened.push({ addresses, events });
    return () => {
      this.closed += 1;
    };
  };
  get last(): Parameters<OpenStream>[1] {
    const stream = this.opened.at(-1);
    if (stream === undefined) throw new Error('no stream was opened');
    return stream.events;
  }
}

function start() {
  const clock = new FakeClock();
  const streams = new Streams();
  const store = new LiveStore(streams.open, clock, seededRandom(1));
  store.start();
  return { clock, streams, store };
}

describe('the live store', () => {
  it('builds patches on the state before them', () => {
    const { streams, store } = start();
    streams.last.message(hello(5));
    streams.last.message({ kind: 'patch', sentAt: 6, topic: 'summary', patch: { head: { observedAt: 6 } } });
    expect(store.current()).toMatchObject({ heardAt: 6, summary: { ...summary, observedAt: 6 } });
  });

  it('opens one stream for all that is asked for together, and another only when something new is asked for', async () => {
    const { clock, streams, store } = start();
    let words = 0;
    const unfollow = store.follow(nodesTopic, {}, () => (words += 1));
    store.follow(nodesTopic, { name: 'n1' }, () => {});
    await clock.advance(20);
    expect(streams.opened.map(({ addresses }) => addresses)).toEqual([['summary'], ['summary', 'nodes', 'nodes?name=n1']]);
    expect(streams.closed).toBe(1);
    streams.last.message({ kind: 'state', sentAt: 1, topic: 'nodes', state: { head: { total: 0 }, rows: [] } });
    expect(words).toBe(1);
    expect(store.newsOf(nodesTopic, {})).toEqual({ head: { total: 0 }, rows: [] });
    unfollow();
    await clock.advance(20);
    expect(streams.opened).toHaveLength(2);
    expect(store.newsOf(nodesTopic, {})).toBeUndefined();
  });

  it('follows at its next attempt what was asked for while the stream was broken', async () => {
    const { clock, streams, store } = start();
    streams.last.failed();
    store.follow(nodesTopic, {}, () => {});
    await clock.advance(20);
    expect(streams.opened).toHaveLength(1);
    await clock.advance(500);
    expect(streams.opened.at(-1)?.addresses).toEqual(['summary', 'nodes']);
  });

  it('follows what was asked for while the next attempt had not been answered yet', async () => {
    const { clock, streams, store } = start();
    streams.last.failed();
    await clock.advance(500);
    store.follow(nodesTopic, {}, () => {});
    await clock.advance(20);
    expect(streams.opened.at(-1)?.addresses).toEqual(['summary', 'nodes']);
  });

  it('asks again for what it let go of, since it has forgotten what was said of it', async () => {
    const { clock, streams, store } = start();
    const unfollow = store.follow(nodesTopic, {}, () => {});
    await clock.advance(20);
    streams.last.message({ kind: 'state', sentAt: 1, topic: 'nodes', state: { head: { total: 0 }, rows: [] } });
    unfollow();
    await clock.advance(20);
    store.follow(nodesTopic, {}, () => {});
    await clock.advance(20);
    expect(streams.opened.map(({ addresses }) => addresses)).toEqual([['summary'], ['summary', 'nodes'], ['summary', 'nodes']]);
  });

  it('keeps what it knows when the stream breaks, and connects again', async () => {
    const { clock, streams, store } = start();
    streams.last.message(hello(clock.now()));
    streams.last.failed();
    expect(store.current()).toMatchObject({ summary, connection: { kind: 'reconnecting' } });
    await clock.advance(500);
    expect(streams.opened).toHaveLength(2);
    streams.last.message(hello(clock.now()));
    expect(store.current().connection).toEqual({ kind: 'following' });
  });

  it('waits longer after each failure, but never longer than ten seconds', async () => {
    const { clock, streams, store } = start();
    const waits: number[] = [];
    for (let attempt = 0; attempt < 8; attempt += 1) {
      streams.last.failed();
      const { connection } = store.current();
      const waitMs = connection.kind === 'reconnecting' ? connection.retryAt - clock.now() : Number.NaN;
      waits.push(waitMs);
      await clock.advance(waitMs);
    }
    expect(streams.opened).toHaveLength(9);
    expect(waits.every((waitMs) => waitMs >= 250 && waitMs <= 10_000)).toBe(true);
    expect(waits.at(-1)).toBeGreaterThan(4_000);
  });

  it('takes a stream that went silent for a broken one', async () => {
    const { clock, streams, store } = start();
    streams.last.message(hello(clock.now()));
    await clock.advance(14_000);
    streams.last.message({ kind: 'alive', sentAt: clock.now() });
    await clock.advance(14_000);
    expect(store.current().connection.kind).toBe('following');
    await clock.advance(1_000);
    expect(store.current().connection.kind).toBe('reconnecting');
    expect(streams.closed).toBe(1);
  });

  it('remembers since when it is broken over all attempts', async () => {
    const { clock, streams, store } = start();
    streams.last.failed();
    const first = store.current().connection;
    await clock.advance(10_000);
    streams.last.failed();
    const second = store.current().connection;
    expect(second.kind === 'reconnecting' && first.kind === 'reconnecting' && second.since === first.since).toBe(true);
  });

  it('tries at once when asked to, and leaves a working stream alone', () => {
    const { clock, streams, store } = start();
    streams.last.failed();
    store.reconnectNow();
    expect(streams.opened).toHaveLength(2);
    streams.last.message(hello(clock.now()));
    store.reconnectNow();
    expect(streams.opened).toHaveLength(2);
  });

  it('asks nothing while it is paused, and knows what it knew when it goes on', async () => {
    const { clock, streams, store } = start();
    streams.last.message(hello(clock.now()));
    store.pause();
    expect(streams.closed).toBe(1);
    store.follow(nodesTopic, {}, () => {});
    store.reconnectNow();
    await clock.advance(60_000);
    expect(streams.opened).toHaveLength(1);
    store.start();
    expect(streams.opened.at(-1)?.addresses).toEqual(['summary', 'nodes']);
    expect(store.current().summary).toEqual(summary);
  });

  it('reckons with the clock of the server', () => {
    const { clock, streams, store } = start();
    streams.last.message(hello(clock.now() + 90_000));
    expect(store.current().clockOffsetMs).toBe(90_000);
  });
});
