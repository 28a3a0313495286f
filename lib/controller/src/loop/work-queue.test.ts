import { FakeClock, type Random, seededRandom } from '@quartermaster/kernel';
import { describe, expect, it } from 'vitest';
import { WorkQueue, type WorkQueueOptions } from './work-queue.ts';

const highest: Random = { next: () => 1, fill: (bytes) => bytes };

function make(options: Partial<WorkQueueOptions> = {}): { queue: WorkQueue; clock: FakeClock } {
  const clock = new FakeClock();
  return { clock, queue: new WorkQueue({ clock, random: highest, ...options }) };
}

/** Whether a promise has settled, without waiting for it. */
async function isPending(promise: Promise<unknown>): Promise<boolean> {
  const pending = Symbol('pending');
  return (await Promise.race([promise, Promise.resolve(pending)])) === pending;
}

describe('WorkQueue', () => {
  it('gives keys out in the order in which they came, each once however often it was added', async () => {
    const { queue } = make();
    for (const key of ['a', 'b', 'a', 'c', 'b']) queue.add(key);
    expect([await queue.take(), await queue.take(), await queue.take()]).toEqual(['a', 'b', 'c']);
    expect(await isPending(queue.take())).toBe(true);
  });

  it('serves waiting workers in the order of their calls', async () => {
    const { queue } = make();
    const first = queue.take();
    const second = queue.take();
    queue.add('a');
    queue.add('b');
    expect([await first, await second]).toEqual(['a', 'b']);
  });

  it('makes one piece of work of several adds in a row also when a worker is free', async () => {
    const { queue } = make();
    const taken = queue.take();
    queue.add('a');
    queue.add('a');
    expect(await taken).toBe('a');
    queue.done('a');
    expect(queue.metrics()).toMatchObject({ depth: 0, completed: 1 });
  });

  it('keeps a key from a second worker while one has it, and gives it out once more when it was added meanwhile', async () => {
    const { queue } = make();
    queue.add('a');
    await queue.take();
    queue.add('a');
    queue.add('a');
    const next = queue.take();
    expect(await isPending(next)).toBe(true);
    queue.done('a');
    expect(await next).toBe('a');
    queue.done('a');
    expect(queue.metrics()).toMatchObject({ depth: 0, inFlight: 0, completed: 2 });
  });

  it('holds a delayed key back until it is due, and the earliest time asked for wins', async () => {
    const { queue, clock } = make();
    queue.addAfter('a', 1000);
    queue.addAfter('a', 200);
    queue.addAfter('a', 500);
    const taken = queue.take();
    await clock.advance(199);
    expect(await isPending(taken)).toBe(true);
    await clock.advance(1);
    expect(await taken).toBe('a');
    queue.done('a');
    await clock.advance(5000);
    expect(queue.metrics()).toMatchObject({ depth: 0, delayed: 0 });
  });

  it('lets an immediate add overtake a delayed one of the same key', async () => {
    const { queue, clock } = make();
    queue.addAfter('a', 1000);
    queue.add('a');
    expect(await queue.take()).toBe('a');
    queue.done('a');
    await clock.advance(2000);
    expect(queue.metrics().depth).toBe(0);
  });

  it('runs a key again when its delay ends while a worker still has it', async () => {
    const { queue, clock } = make();
    queue.add('a');
    await queue.take();
    queue.addAfter('a', 100);
    await clock.advance(150);
    expect(queue.metrics().depth).toBe(0);
    queue.done('a');
    expect(await queue.take()).toBe('a');
  });

  it('refuses a delay that is not a number', () => {
    const { queue } = make();
    expect(() => queue.addAfter('a', Number.NaN)).toThrow('finite');
  });

  it('refuses to end work on a key that is not being processed', () => {
    const { queue } = make();
    expect(() => queue.done('a')).toThrow('is not being processed');
  });

  describe('backoff', () => {
    const backoff = { firstMs: 100, maxMs: 1000, factor: 2 };

    it('waits longer after each failure of the same key, up to the limit, and starts anew once forgotten', () => {
      const { queue } = make({ backoff });
      expect([1, 2, 3, 4, 5, 6].map(() => queue.retry('a'))).toEqual([100, 200, 400, 800, 1000, 1000]);
      expect(queue.retry('b')).toBe(100);
      expect(queue.failures('a')).toBe(6);
      queue.forget('a');
      expect(queue.failures('a')).toBe(0);
      expect(queue.retry('a')).toBe(100);
    });

    it('waits at least as long as asked', () => {
      const { queue } = make({ backoff });
      expect(queue.retry('a', { minMs: 7000 })).toBe(7000);
      expect(queue.retry('a', { minMs: 10 })).toBe(200);
    });

    it('spreads the waits of keys that failed together', () => {
      const { queue } = make({ backoff, random: seededRandom(7) });
      const waits = new Set(Array.from({ length: 20 }, (_, i) => queue.retry(`key-${i}`)));
      expect(waits.size).toBeGreaterThan(10);
      for (const wait of waits) expect(wait).toBeGreaterThanOrEqual(50);
    });
  });

  describe('shut down', () => {
    it('drains what waits, drops what is delayed and then lets the workers go', async () => {
      const { queue, clock } = make();
      queue.add('a');
      queue.add('b');
      queue.addAfter('late', 100);
      const down = queue.shutDown('drain');
      queue.add('ignored');
      expect(await queue.take()).toBe('a');
      expect(await queue.take()).toBe('b');
      const idle = queue.take();
      queue.done('a');
      expect(await isPending(down)).toBe(true);
      queue.done('b');
      await down;
      expect(await idle).toBeUndefined();
      expect(clock.pendingTimers).toBe(0);
    });

    it('drains a key that was added again while a worker had it', async () => {
      const { queue } = make();
      queue.add('a');
      await queue.take();
      queue.add('a');
      const down = queue.shutDown('drain');
      queue.done('a');
      expect(await queue.take()).toBe('a');
      queue.done('a');
      await down;
    });

    it('abandons what waits, and resolves only when what is in flight has ended', async () => {
      const { queue } = make();
      queue.add('a');
      queue.add('b');
      await queue.take();
      const waiting = queue.take();
      expect(await waiting).toBe('b');
      queue.add('a');
      const idle = queue.take();
      const down = queue.shutDown('abandon');
      expect(await idle).toBeUndefined();
      queue.done('a');
      expect(await isPending(down)).toBe(true);
      queue.done('b');
      await down;
      expect(await queue.take()).toBeUndefined();
      expect(queue.metrics()).toMatchObject({ depth: 0, inFlight: 0 });
    });

    it('lets one worker go when its own signal aborts, and gives its key to another', async () => {
      const { queue } = make();
      const leaving = new AbortController();
      const first = queue.take(leaving.signal);
      const second = queue.take();
      leaving.abort();
      expect(await first).toBeUndefined();
      queue.add('a');
      expect(await second).toBe('a');
      expect(await queue.take(leaving.signal)).toBeUndefined();
    });
  });

  it('reports depth and totals', async () => {
    const { queue } = make();
    queue.add('a');
    queue.add('b');
    expect(queue.metrics()).toMatchObject({ depth: 2, inFlight: 0, adds: 2 });
    await queue.take();
    expect(queue.metrics()).toMatchObject({ depth: 1, inFlight: 1 });
    queue.retry('a');
    queue.done('a');
    expect(queue.metrics()).toMatchObject({ delayed: 1, failing: 1, retries: 1, completed: 1 });
  });

  it('passes 100 000 keys through eight workers, each exactly once', async () => {
    const { queue, clock } = make();
    for (let i = 0; i < 50_000; i += 1) queue.add(`now-${i}`);
    for (let i = 0; i < 50_000; i += 1) queue.addAfter(`later-${i}`, 1 + (i % 7));
    await clock.advance(7);
    const seen = new Set<string>();
    let handedOut = 0;
    const down = queue.shutDown('drain');
    const work = async (): Promise<void> => {
      for (let key = await queue.take(); key !== undefined; key = await queue.take()) {
        handedOut += 1;
        seen.add(key);
        queue.done(key);
      }
    };
    await Promise.all(Array.from({ length: 8 }, work));
    await down;
    expect([seen.size, handedOut]).toEqual([100_000, 100_000]);
  });
});
