import { FakeClock, seededRandom } from '@quartermaster/kernel';
import { describe, expect, it } from 'vitest';
import type { ConsoleSnapshot } from '../../console-source.ts';
import { LiveStore, type OpenStream } from './live-store.ts';

const snapshot: ConsoleSnapshot = {
  installation: { version: '1', startedAt: 0, kubernetes: 'given', server: 's', kubeconfig: 'k' },
  parts: [],
};

class Streams {
  readonly opened: Parameters<OpenStream>[0][] = [];
  closed = 0;
  readonly open: OpenStream = (events) => {
    this.opened.push(events);
    return () => {
      this.closed += 1;
    };
  };
  get last(): Parameters<OpenStream>[0] {
    const events = this.opened.at(-1);
    if (events === undefined) throw new Error('no stream was opened');
    return events;
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
  it('builds patches on the snapshot before them', () => {
    const { streams, store } = start();
    streams.last.message({ kind: 'snapshot', sentAt: 5, snapshot });
    streams.last.message({ kind: 'patch', sentAt: 6, patch: { cluster: { observedAt: 6, podsByPhase: { Running: 2 } } } });
    expect(store.current()).toMatchObject({ heardAt: 6, snapshot: { cluster: { podsByPhase: { Running: 2 } } } });
  });

  it('keeps what it knows when the stream breaks, and connects again', async () => {
    const { clock, streams, store } = start();
    streams.last.message({ kind: 'snapshot', sentAt: clock.now(), snapshot });
    streams.last.failed();
    expect(store.current()).toMatchObject({ snapshot, connection: { kind: 'broken' } });
    await clock.advance(500);
    expect(streams.opened).toHaveLength(2);
    streams.last.message({ kind: 'snapshot', sentAt: clock.now(), snapshot });
    expect(store.current().connection).toEqual({ kind: 'open' });
  });

  it('waits longer after each failure, but never longer than ten seconds', async () => {
    const { clock, streams, store } = start();
    const waits: number[] = [];
    for (let attempt = 0; attempt < 8; attempt += 1) {
      streams.last.failed();
      const { connection } = store.current();
      const waitMs = connection.kind === 'broken' ? connection.retryAt - clock.now() : Number.NaN;
      waits.push(waitMs);
      await clock.advance(waitMs);
    }
    expect(streams.opened).toHaveLength(9);
    expect(waits.every((waitMs) => waitMs >= 250 && waitMs <= 10_000)).toBe(true);
    expect(waits.at(-1)).toBeGreaterThan(4_000);
  });

  it('takes a stream that went silent for a broken one', async () => {
    const { clock, streams, store } = start();
    streams.last.message({ kind: 'snapshot', sentAt: clock.now(), snapshot });
    await clock.advance(14_000);
    streams.last.message({ kind: 'alive', sentAt: clock.now() });
    await clock.advance(14_000);
    expect(store.current().connection.kind).toBe('open');
    await clock.advance(1_000);
    expect(store.current().connection.kind).toBe('broken');
    expect(streams.closed).toBe(1);
  });

  it('remembers since when it is broken over all attempts', async () => {
    const { clock, streams, store } = start();
    streams.last.failed();
    const first = store.current().connection;
    await clock.advance(10_000);
    streams.last.failed();
    const second = store.current().connection;
    expect(second.kind === 'broken' && first.kind === 'broken' && second.since === first.since).toBe(true);
  });

  it('tries at once when asked to, and leaves a working stream alone', () => {
    const { clock, streams, store } = start();
    streams.last.failed();
    store.reconnectNow();
    expect(streams.opened).toHaveLength(2);
    streams.last.message({ kind: 'snapshot', sentAt: clock.now(), snapshot });
    store.reconnectNow();
    expect(streams.opened).toHaveLength(2);
  });

  it('reckons with the clock of the server', () => {
    const { clock, streams, store } = start();
    streams.last.message({ kind: 'snapshot', sentAt: clock.now() + 90_000, snapshot });
    expect(store.current().clockOffsetMs).toBe(90_000);
  });
});
