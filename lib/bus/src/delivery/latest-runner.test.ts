import { Backoff, FakeClock, StatusError, seededRandom } from '@quartermaster/kernel';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LatestRunner } from './latest-runner.ts';

const setUp = (handle: (message: number, signal: AbortSignal) => Promise<void>) => {
  const clock = new FakeClock();
  const counts = { handled: 0, skipped: 0, errors: 0 };
  const runner = new LatestRunner<number>({
    handle,
    isNewer: (message, than) => message > than,
    clock,
    backoff: new Backoff({ firstMs: 1_000, maxMs: 8_000, factor: 2 }, { ...seededRandom(1), next: () => 1 }),
    onHandled: () => (counts.handled += 1),
    onSkipped: () => (counts.skipped += 1),
    onError: () => (counts.errors += 1),
  });
  return { clock, counts, runner };
};

describe('LatestRunner', () => {
  it('ends with the newest message, in order and never with an old one, however they come', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(fc.nat(50), fc.boolean()), { minLength: 1 }), async (offers) => {
        const seen: number[] = [];
        const { runner, counts, clock } = setUp(async (message) => {
          await Promise.resolve();
          seen.push(message);
        });
        for (const [message, isPause] of offers) {
          runner.offer(message);
          if (isPause) await clock.advance(0);
        }
        await clock.advance(0);
        expect(seen).toEqual([...new Set(seen)].toSorted((a, b) => a - b));
        expect(seen.at(-1)).toBe(Math.max(...offers.map(([message]) => message)));
        expect(counts.handled).toBe(seen.length);
      }),
    );
  });

  it('brings a message back after growing waits', async () => {
    const times: number[] = [];
    const { runner, clock, counts } = setUp(async () => {
      times.push(clock.monotonic());
      if (times.length < 4) throw new Error('not yet');
    });
    runner.offer(1);
    await clock.advance(60_000);
    expect(times).toEqual([0, 1_000, 3_000, 7_000]);
    expect(counts).toEqual({ handled: 1, skipped: 0, errors: 3 });
  });

  it('takes a newer message instead of the one that failed', async () => {
    const seen: number[] = [];
    const { runner, clock } = setUp(async (message) => {
      seen.push(message);
      if (message === 1) throw new Error('no use');
    });
    runner.offer(1);
    await clock.advance(500);
    runner.offer(2);
    await clock.advance(60_000);
    expect(seen).toEqual([1, 2]);
  });

  it('does not bring back what cannot succeed', async () => {
    const { runner, clock, counts } = setUp(() => Promise.reject(new StatusError('invalid_argument', 'no')));
    runner.offer(1);
    await clock.advance(60_000);
    expect(counts).toEqual({ handled: 0, skipped: 0, errors: 1 });
  });

  it('is closed at once while it waits, and leaves no timer', async () => {
    const { runner, clock, counts } = setUp(() => Promise.reject(new Error('no')));
    runner.offer(1);
    await clock.advance(10);
    expect(clock.pendingTimers).toBe(1);
    await runner.close();
    runner.offer(2);
    await clock.advance(60_000);
    expect(counts.errors).toBe(1);
    expect(clock.pendingTimers).toBe(0);
  });
});
