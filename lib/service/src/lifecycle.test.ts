import { FakeClock } from '@quartermaster/kernel';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Lifecycle, type StopReason } from './lifecycle.ts';

const request: StopReason = { kind: 'request', by: 'test' };

describe('Lifecycle', () => {
  it('stops parts one after the other, the last one first', async () => {
    const clock = new FakeClock();
    const lifecycle = new Lifecycle({ clock });
    const events: string[] = [];
    for (const name of ['a', 'b', 'c']) {
      lifecycle.add({
        name,
        stop: async () => {
          events.push(`${name} begins`);
          await Promise.resolve();
          events.push(`${name} ends`);
        },
      });
    }
    const report = await lifecycle.stop(request);
    expect(events).toEqual(['c begins', 'c ends', 'b begins', 'b ends', 'a begins', 'a ends']);
    expect(report).toEqual({ reason: request, tookMs: 0, notStopped: [], failed: [] });
    expect(clock.pendingTimers).toBe(0);
  });

  it('gives each part its share of what is left, and names what did not stop', async () => {
    const clock = new FakeClock();
    const lifecycle = new Lifecycle({ clock, deadlineMs: 900 });
    const shares: number[] = [];
    const gaveUp: string[] = [];
    const part = (name: string, takesMs: number) => ({
      name,
      stop: ({ withinMs, signal }: { withinMs: number; signal: AbortSignal }) => {
        shares.push(withinMs);
        signal.addEventListener('abort', () => gaveUp.push(name));
        return new Promise<void>((resolve) => {
          clock.schedule(takesMs, resolve);
        });
      },
    });
    lifecycle.add(part('quick', 0));
    lifecycle.add(part('hung', 1_000_000));
    lifecycle.add(part('brisk', 100));
    const stopping = lifecycle.stop(request);
    await clock.advance(900);
    expect(await stopping).toMatchObject({ notStopped: ['hung'], tookMs: 900 });
    expect(shares).toEqual([450, 400, 400]);
    expect(gaveUp).toEqual(['hung']);
  });

  it('waits for a late part as long as time is left', async () => {
    const clock = new FakeClock();
    const lifecycle = new Lifecycle({ clock, deadlineMs: 1000 });
    lifecycle.add({ name: 'first', stop: () => {} });
    lifecycle.add({
      name: 'late',
      stop: () =>
        new Promise((resolve) => {
          clock.schedule(700, resolve);
        }),
    });
    const stopping = lifecycle.stop(request);
    await clock.advance(700);
    expect(await stopping).toMatchObject({ notStopped: [], tookMs: 700 });
  });

  it('never takes longer than its deadline, whatever the parts do', async () => {
    const times = fc.array(fc.oneof(fc.integer({ min: 0, max: 2000 }), fc.constant(Number.POSITIVE_INFINITY)), { maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(times, async (takes) => {
        const clock = new FakeClock();
        const lifecycle = new Lifecycle({ clock, deadlineMs: 1000 });
        for (const [i, takesMs] of takes.entries()) {
          lifecycle.add({
            name: `part-${i}`,
            stop: () =>
              new Promise((resolve) => {
                if (Number.isFinite(takesMs)) clock.schedule(takesMs, resolve);
              }),
          });
        }
        const stopping = lifecycle.stop(request);
        await clock.advance(1000);
        const report = await stopping;
        expect(report.tookMs).toBeLessThanOrEqual(1000);
        for (const [i, takesMs] of takes.entries()) if (takesMs > 1000) expect(report.notStopped).toContain(`part-${i}`);
        if (takes.every((takesMs) => takesMs * takes.length <= 1000)) expect(report.notStopped).toEqual([]);
      }),
      { numRuns: 40 },
    );
  });

  it('goes on when a part fails to stop, and tells it', async () => {
    const lifecycle = new Lifecycle({ clock: new FakeClock() });
    let stopped = false;
    lifecycle.add({
      name: 'first',
      stop: () => {
        stopped = true;
      },
    });
    const error = new Error('no');
    lifecycle.add({
      name: 'bad',
      stop: () => {
        throw error;
      },
    });
    expect(await lifecycle.stop(request)).toMatchObject({ failed: [{ name: 'bad', error }], notStopped: [] });
    expect(stopped).toBe(true);
  });

  it('stops once, aborts its signal at once and takes no further parts', async () => {
    const lifecycle = new Lifecycle({ clock: new FakeClock() });
    let stops = 0;
    lifecycle.add({
      name: 'a',
      stop: () => {
        stops += 1;
      },
    });
    expect(lifecycle.signal.aborted).toBe(false);
    const first = lifecycle.stop(request);
    expect(lifecycle.signal.aborted).toBe(true);
    const second = lifecycle.stop({ kind: 'signal', signal: 'SIGTERM' });
    expect(await first).toBe(await second);
    expect((await lifecycle.ended).reason).toEqual(request);
    expect(stops).toBe(1);
    expect(() => lifecycle.add({ name: 'b', stop: () => {} })).toThrow('b cannot be started');
  });
});
