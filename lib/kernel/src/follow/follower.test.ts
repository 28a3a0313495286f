import { describe, expect, it } from 'vitest';
import { FakeClock } from '../fake-clock.ts';
import type { Random } from '../random.ts';
import { StatusError } from '../status-error.ts';
import { Follower, type FollowerOptions } from './follower.ts';
import { type WatchEvents, watchOf } from './watch.ts';

interface Message {
  readonly text: string;
  readonly token?: string;
}

interface Opened {
  readonly from: string | undefined;
  readonly on: WatchEvents<Message>;
  isClosed: boolean;
}

const highest: Random = { next: () => 1, fill: (bytes) => bytes };
const cut = new StatusError('unavailable', 'cut');

function setUp(options: Partial<FollowerOptions<Message, string>> = {}) {
  const clock = new FakeClock();
  const streams: Opened[] = [];
  const taken: string[][] = [];
  let changes = 0;
  const follower = new Follower<Message, string>({
    watch: (from, on) => {
      const opened: Opened = { from, on, isClosed: false };
      streams.push(opened);
      return () => {
        opened.isClosed = true;
      };
    },
    take: (messages) => void taken.push(messages.map(({ text }) => text)),
    tokenOf: ({ token }) => token,
    backoff: { firstMs: 100, maxMs: 1000, factor: 2 },
    clock,
    random: highest,
    changed: () => {
      changes += 1;
    },
    ...options,
  });
  const last = (): Opened => {
    const stream = streams.at(-1);
    if (stream === undefined) throw new Error('nothing was opened');
    return stream;
  };
  const state = () => follower.status().state;
  return { clock, streams, taken, follower, last, state, changes: () => changes };
}

/** Work that a test ends when it wants. */
function held() {
  const works: PromiseWithResolvers<void>[] = [];
  const begin = async (): Promise<void> => {
    const work = Promise.withResolvers<void>();
    works.push(work);
    await work.promise;
  };
  return { works, begin };
}

describe('Follower', () => {
  it('is connecting until the stream speaks, and then follows', () => {
    const { follower, last, state, clock, changes } = setUp();
    expect(state()).toEqual({ kind: 'stopped', error: undefined });
    follower.start();
    expect(follower.status()).toEqual({ state: { kind: 'connecting' }, heardAt: undefined });
    last().on.message({ text: 'a' });
    expect(follower.status()).toEqual({ state: { kind: 'following' }, heardAt: clock.now() });
    expect(changes()).toBe(1);
  });

  it('goes on where the stream ended, after waits that grow until something is taken again', async () => {
    const { follower, last, state, clock, streams } = setUp({ from: 't0' });
    follower.start();
    last().on.message({ text: 'a', token: 't1' });
    last().on.message({ text: 'b' });
    const breaks: unknown[] = [];
    for (let i = 0; i < 3; i += 1) {
      last().on.ended(cut);
      breaks.push(state());
      await clock.advance(100 * 2 ** i - 1);
      expect(streams).toHaveLength(i + 1);
      await clock.advance(1);
    }
    const start = Date.UTC(2026, 0, 1);
    expect(breaks).toEqual([
      { kind: 'reconnecting', since: start, retryAt: start + 100, error: cut },
      { kind: 'reconnecting', since: start, retryAt: start + 300, error: cut },
      { kind: 'reconnecting', since: start, retryAt: start + 700, error: cut },
    ]);
    last().on.message({ text: 'c', token: 't2' });
    last().on.ended();
    expect(state()).toEqual({ kind: 'reconnecting', since: clock.now(), retryAt: clock.now() + 100, error: undefined });
    await clock.advance(100);
    expect(streams.map(({ from, isClosed }) => [from, isClosed])).toEqual([
      ['t0', true],
      ['t1', true],
      ['t1', true],
      ['t1', true],
      ['t2', false],
    ]);
  });

  it('lists when a stream without a token has begun, and takes what came meanwhile in one go', async () => {
    const { works, begin } = held();
    const { follower, last, state, clock, taken } = setUp({ list: begin });
    follower.start();
    expect(works).toHaveLength(0);
    last().on.message({ text: 'a', token: 't1' });
    last().on.message({ text: 'b', token: 't2' });
    expect([works.length, taken, state().kind]).toEqual([1, [], 'connecting']);
    works[0]?.resolve();
    await clock.advance(0);
    expect([taken, state().kind]).toEqual([[['a', 'b']], 'following']);
    last().on.ended(cut);
    await clock.advance(100);
    last().on.message({ text: 'c', token: 't3' });
    expect([works.length, last().from, taken.at(-1)]).toEqual([1, 't2', ['c']]);
  });

  it('lists again with the next stream when the list failed, and waits longer each time', async () => {
    const { works, begin } = held();
    const { follower, last, state, clock, streams } = setUp({ list: begin });
    follower.start();
    for (let i = 0; i < 3; i += 1) {
      last().on.message({ text: 'a', token: 't1' });
      works[i]?.reject(cut);
      await clock.advance(100 * 2 ** i - 1);
      expect([streams.length, state().kind]).toEqual([i + 1, 'reconnecting']);
      await clock.advance(1);
      expect(last().from).toBeUndefined();
    }
    expect(follower.status().heardAt).toBeUndefined();
  });

  it('goes on from where the list began when what came after it could not be taken', async () => {
    let lists = 0;
    const list = (): void => {
      lists += 1;
    };
    const { follower, last, clock } = setUp({
      list,
      take: (messages) => {
        if (messages.some(({ text }) => text === 'bad')) throw cut;
      },
    });
    follower.start();
    last().on.message({ text: 'bad', token: 't1' });
    await clock.advance(100);
    expect([lists, last().from]).toEqual([1, 't1']);
  });

  it('hears again what could not be taken', async () => {
    const { works, begin } = held();
    const { follower, last, clock } = setUp({ take: begin });
    follower.start();
    last().on.message({ text: 'a', token: 't1' });
    last().on.message({ text: 'b', token: 't2' });
    works[0]?.resolve();
    await clock.advance(0);
    works[1]?.reject(cut);
    await clock.advance(100);
    expect(last().from).toBe('t1');
  });

  it('ends the signal of work whose stream is over, and takes no notice of how the work ends', async () => {
    const { works, begin } = held();
    const signals: AbortSignal[] = [];
    const { follower, last, clock, state } = setUp({
      take: async (_, signal) => {
        signals.push(signal);
        await begin();
      },
    });
    follower.start();
    last().on.message({ text: 'a', token: 't1' });
    last().on.ended(cut);
    expect(signals[0]?.aborted).toBe(true);
    works[0]?.resolve();
    await clock.advance(100);
    expect([last().from, state().kind]).toEqual([undefined, 'reconnecting']);
  });

  it('begins anew and lists when the token is of no use any more', async () => {
    let lists = 0;
    const { follower, last, clock } = setUp({
      list: () => {
        lists += 1;
      },
      judge: () => 'restart',
      from: 't0',
    });
    follower.start();
    last().on.message({ text: 'a', token: 't1' });
    expect(lists).toBe(0);
    last().on.ended(new StatusError('failed_precondition', 'expired'));
    await clock.advance(100);
    expect(last().from).toBeUndefined();
    last().on.message({ text: 'b', token: 't9' });
    expect(lists).toBe(1);
  });

  it('lists before the next message when told that what it knows no longer holds, also when that fails at first', async () => {
    let lists = 0;
    const { follower, last, clock } = setUp({
      list: () => {
        lists += 1;
        if (lists === 1) throw cut;
      },
      from: 't0',
    });
    follower.start();
    follower.forget();
    last().on.message({ text: 'a', token: 't1' });
    await clock.advance(100);
    last().on.message({ text: 'b', token: 't2' });
    last().on.message({ text: 'c', token: 't3' });
    expect(lists).toBe(2);
  });

  it('lists with the next stream when it was told so while the last message was being taken', async () => {
    const { works, begin } = held();
    const { follower, last, clock, state } = setUp({ list: () => {}, take: begin, from: 't0' });
    follower.start();
    last().on.message({ text: 'a', token: 't1' });
    follower.forget();
    works[0]?.resolve();
    await clock.advance(0);
    expect(state().kind).toBe('connecting');
    last().on.ended(cut);
    await clock.advance(100);
    expect(last().from).toBeUndefined();
  });

  it('takes silence for a break, and any sound for a sign of life', async () => {
    const { follower, last, clock, state, streams } = setUp({ silenceMs: 5000 });
    follower.start();
    last().on.sound();
    expect(state().kind).toBe('following');
    await clock.advance(4000);
    last().on.sound();
    const heardAt = clock.now();
    await clock.advance(4999);
    expect(state().kind).toBe('following');
    await clock.advance(1);
    expect(follower.status()).toMatchObject({
      heardAt,
      state: { kind: 'reconnecting', error: { message: 'no message received for 5 s' } },
    });
    expect(streams[0]?.isClosed).toBe(true);
    await clock.advance(100);
    await clock.advance(5000);
    expect(streams).toHaveLength(2);
    expect(state()).toMatchObject({ kind: 'reconnecting', retryAt: clock.now() + 200 });
  });

  it('does not call itself up to date for a mere sound while everything is yet to be listed', () => {
    const { follower, last, state, clock } = setUp({ list: () => {} });
    follower.start();
    last().on.sound();
    expect(follower.status()).toEqual({ state: { kind: 'connecting' }, heardAt: clock.now() });
    last().on.message({ text: 'a', token: 't1' });
    expect(state().kind).toBe('following');
  });

  it('hears nothing of a stream that is over', async () => {
    const { follower, streams, taken, clock, state } = setUp();
    follower.start();
    const [first] = streams;
    first?.on.ended(cut);
    first?.on.ended(cut);
    first?.on.message({ text: 'late' });
    first?.on.sound();
    expect([taken, state().kind]).toEqual([[], 'reconnecting']);
    await clock.advance(100);
    expect(streams).toHaveLength(2);
  });

  it('counts a stream that cannot even be opened, or ends at once, as one that broke', async () => {
    let opened = 0;
    const { follower, clock, state } = setUp({
      watch: (_, on) => {
        opened += 1;
        if (opened === 1) throw cut;
        on.ended(cut);
        return () => {};
      },
    });
    follower.start();
    await clock.advance(299);
    expect([opened, state()]).toMatchObject([2, { kind: 'reconnecting', error: cut }]);
  });

  it('tries at once when asked to, and leaves a working stream alone', async () => {
    const { follower, last, streams, clock } = setUp();
    follower.start();
    last().on.ended(cut);
    follower.reconnectNow();
    expect(streams).toHaveLength(2);
    await clock.advance(1000);
    expect(streams).toHaveLength(2);
    last().on.message({ text: 'a' });
    follower.reconnectNow();
    expect(streams).toHaveLength(2);
  });

  it('replaces a working stream when asked to, and a broken one at its next attempt', async () => {
    const { follower, last, streams, clock, state } = setUp();
    follower.reopen();
    expect(streams).toHaveLength(0);
    follower.start();
    last().on.message({ text: 'a', token: 't1' });
    follower.reopen();
    expect(streams.map(({ from, isClosed }) => [from, isClosed])).toEqual([
      [undefined, true],
      ['t1', false],
    ]);
    expect(state().kind).toBe('following');
    last().on.ended(cut);
    follower.reopen();
    expect(streams).toHaveLength(2);
    await clock.advance(100);
    expect(streams).toHaveLength(3);
  });

  it('opens nothing while it is stopped, and goes on from the last token when started again', async () => {
    const { follower, last, streams, clock } = setUp();
    follower.start();
    last().on.message({ text: 'a', token: 't1' });
    last().on.ended(cut);
    await follower.stop();
    await clock.advance(60_000);
    expect(streams).toHaveLength(1);
    follower.start();
    follower.start();
    expect(streams.map(({ from }) => from)).toEqual([undefined, 't1']);
  });
});

describe('a Follower that runs', () => {
  it('throws what trying again cannot mend, and says whether the stream had spoken', async () => {
    const refusal = new StatusError('permission_denied', 'you may not');
    const seen: string[] = [];
    const { follower, last, state } = setUp({
      judge: (_, { state: { kind } }) => {
        seen.push(kind);
        return kind === 'following' ? 'resume' : 'fail';
      },
    });
    const running = follower.run(new AbortController().signal);
    last().on.message({ text: 'a' });
    last().on.ended(refusal);
    follower.reconnectNow();
    last().on.ended(refusal);
    await expect(running).rejects.toBe(refusal);
    expect([seen, state()]).toEqual([['following', 'reconnecting'], { kind: 'stopped', error: refusal }]);
  });

  it('ends with its signal, when the stream is closed', async () => {
    const log: string[] = [];
    const watch = watchOf<Message, string>(async function* (from, signal) {
      try {
        yield { text: 'a', token: `after ${from}` };
        await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }));
      } finally {
        log.push('closed');
      }
    });
    const { follower, taken, clock } = setUp({ watch });
    const ending = new AbortController();
    const running = follower.run(ending.signal);
    await clock.advance(0);
    ending.abort();
    await running;
    expect([taken, log]).toEqual([[['a']], ['closed']]);
    await follower.run(ending.signal);
    expect(log).toHaveLength(1);
  });
});

describe('watchOf', () => {
  it('tells an end in order from a failure', async () => {
    const ends: unknown[][] = [];
    const on = { message: () => {}, sound: () => {}, ended: (...error: unknown[]) => ends.push(error) };
    for (const error of [undefined, cut]) {
      const last = Promise.withResolvers<void>();
      const close = watchOf<Message, string>(async function* () {
        yield { text: 'a' };
        last.resolve();
        if (error !== undefined) throw error;
      })(undefined, on);
      await last.promise;
      await close();
    }
    expect(ends).toEqual([[], [cut]]);
  });

  it('closes the iterable even when that goes on talking', async () => {
    let isClosed = false;
    const endless = watchOf<Message, string>(async function* () {
      try {
        for (;;) yield { text: 'a' };
      } finally {
        isClosed = true;
      }
    });
    const heard: Message[] = [];
    const first = Promise.withResolvers<void>();
    const message = (each: Message): void => {
      heard.push(each);
      first.resolve();
    };
    const close = endless(undefined, { message, sound: () => {}, ended: () => {} });
    await first.promise;
    await close();
    expect(isClosed).toBe(true);
  });
});
