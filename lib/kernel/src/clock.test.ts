import { describe, expect, it } from 'vitest';
import { pause, sleep, systemClock } from './clock.ts';
import { FakeClock } from './fake-clock.ts';

describe('sleep', () => {
  it('resolves when its time has come, and not before', async () => {
    const clock = new FakeClock();
    let isAwake = false;
    const sleeping = sleep(clock, 100).then(() => {
      isAwake = true;
    });
    await clock.advance(99);
    expect(isAwake).toBe(false);
    await clock.advance(1);
    expect(isAwake).toBe(true);
    await sleeping;
  });

  it('rejects with the reason as soon as the signal aborts, and leaves no timer', async () => {
    const clock = new FakeClock();
    const controller = new AbortController();
    const sleeping = sleep(clock, 100, controller.signal);
    const reason = new Error('shutting down');
    controller.abort(reason);
    await expect(sleeping).rejects.toBe(reason);
    expect(clock.pendingTimers).toBe(0);
  });

  it('rejects at once when the signal was aborted before', async () => {
    const clock = new FakeClock();
    const reason = new Error('already over');
    await expect(sleep(clock, 100, AbortSignal.abort(reason))).rejects.toBe(reason);
    expect(clock.pendingTimers).toBe(0);
  });

  it('is not disturbed by an abort after it ended', async () => {
    const clock = new FakeClock();
    const controller = new AbortController();
    const sleeping = sleep(clock, 10, controller.signal);
    await clock.advance(10);
    controller.abort();
    await expect(sleeping).resolves.toBeUndefined();
  });
});

describe('systemClock', () => {
  it('tells the time of day and a time that never goes back', () => {
    const before = Date.now();
    const first = systemClock.monotonic();
    expect(systemClock.now()).toBeGreaterThanOrEqual(before);
    expect(systemClock.monotonic()).toBeGreaterThanOrEqual(first);
  });

  it('calls back once, and treats a wait below zero as none', async () => {
    let calls = 0;
    await new Promise<void>((resolve) => {
      systemClock.schedule(-5, () => {
        calls += 1;
        resolve();
      });
    });
    expect(calls).toBe(1);
  });

  it('does not call back after it was cancelled, nor at once for a wait beyond the longest timer', async () => {
    const called: string[] = [];
    const cancel = systemClock.schedule(0, () => called.push('cancelled'));
    const cancelLong = systemClock.schedule(2 ** 40, () => called.push('long'));
    cancel();
    await new Promise<void>((resolve) => {
      systemClock.schedule(1, resolve);
    });
    cancelLong();
    expect(called).toEqual([]);
  });
});

describe('pause', () => {
  it('resolves when its time has come', async () => {
    const clock = new FakeClock();
    let isOver = false;
    void pause(clock, 100, new AbortController().signal).then(() => {
      isOver = true;
    });
    await clock.advance(99);
    expect(isOver).toBe(false);
    await clock.advance(1);
    expect(isOver).toBe(true);
  });

  it('resolves at once when the signal aborts', async () => {
    const controller = new AbortController();
    const pausing = pause(new FakeClock(), 100, controller.signal);
    controller.abort(new Error('enough'));
    await expect(pausing).resolves.toBeUndefined();
  });
});
