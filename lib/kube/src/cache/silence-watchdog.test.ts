import { FakeClock } from '@quartermaster/kernel';
import { describe, expect, it } from 'vitest';
import { SilenceWatchdog } from './silence-watchdog.ts';

describe('SilenceWatchdog', () => {
  it('aborts after the limit without contact', async () => {
    const clock = new FakeClock();
    const watchdog = new SilenceWatchdog(clock, 1_000, new AbortController().signal);
    await clock.advance(999);
    expect(watchdog.signal.aborted).toBe(false);
    await clock.advance(1);
    expect(watchdog.fired).toBe(true);
    expect(watchdog.signal.aborted).toBe(true);
  });

  it('counts from the last contact', async () => {
    const clock = new FakeClock();
    const watchdog = new SilenceWatchdog(clock, 1_000, new AbortController().signal);
    for (let contact = 0; contact < 5; contact += 1) {
      await clock.advance(900);
      watchdog.contact();
    }
    expect(watchdog.fired).toBe(false);
    await clock.advance(1_000);
    expect(watchdog.fired).toBe(true);
  });

  it('aborts with its parent, without having fired', () => {
    const parent = new AbortController();
    const watchdog = new SilenceWatchdog(new FakeClock(), 1_000, parent.signal);
    parent.abort(new Error('stop'));
    expect(watchdog.signal.reason).toEqual(new Error('stop'));
    expect(watchdog.fired).toBe(false);
  });

  it('leaves no timer behind when it ends', () => {
    const clock = new FakeClock();
    const watchdog = new SilenceWatchdog(clock, 1_000, new AbortController().signal);
    watchdog.end();
    expect(clock.pendingTimers).toBe(0);
  });
});
