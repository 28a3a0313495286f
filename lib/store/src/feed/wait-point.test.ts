import { FakeClock } from '@quartermaster/kernel';
import { describe, expect, it } from 'vitest';
import { WaitPoint } from './wait-point.ts';

describe('WaitPoint', () => {
  const never = new AbortController().signal;

  it('lets all go when it is woken, and keeps no timer of theirs', async () => {
    const clock = new FakeClock();
    const point = new WaitPoint(clock);
    const waits = [point.wait(1_000, never), point.wait(2_000, never)];
    point.wakeAll();
    await Promise.all(waits);
    expect(clock.pendingTimers).toBe(0);
  });

  it('lets go when the time is over', async () => {
    const clock = new FakeClock();
    let isOver = false;
    const wait = new WaitPoint(clock).wait(1_000, never).then(() => {
      isOver = true;
    });
    await clock.advance(999);
    expect(isOver).toBe(false);
    await clock.advance(1);
    await wait;
  });

  it('lets go when the signal aborts, at once when it has', async () => {
    const clock = new FakeClock();
    const abort = new AbortController();
    const wait = new WaitPoint(clock).wait(1_000, abort.signal);
    abort.abort();
    await wait;
    await new WaitPoint(clock).wait(1_000, abort.signal);
    expect(clock.pendingTimers).toBe(0);
  });
});
