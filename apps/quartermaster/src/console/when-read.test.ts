import { FakeClock } from '@quartermaster/kernel';
import { describe, expect, it } from 'vitest';
import { type Readings, whenRead } from './when-read.ts';

class ScriptedReading {
  readonly #synced = Promise.withResolvers<void>();
  size = 0;
  problem: string | undefined;
  status(): ReturnType<NonNullable<Readings[string]>['status']> {
    return { lastError: this.problem };
  }
  whenSynced(): Promise<void> {
    return this.#synced.promise;
  }
  finish(): void {
    this.#synced.resolve();
  }
}

function start() {
  const clock = new FakeClock();
  const reading = new ScriptedReading();
  const stopping = new AbortController();
  const progress: string[] = [];
  const done = whenRead({ pods: reading }, { clock, signal: stopping.signal, onProgress: (text) => progress.push(text) });
  done.catch(() => {});
  return { clock, reading, stopping, progress, done };
}

describe('whenRead', () => {
  it('waits for a large cluster for as long as it goes on, and says how far it is', async () => {
    const { clock, reading, progress, done } = start();
    for (let minute = 1; minute <= 10; minute += 1) {
      reading.size = minute * 1_000;
      await clock.advance(50_000);
    }
    reading.finish();
    await done;
    expect(progress).toHaveLength(10);
    expect(progress.at(-1)).toBe('10000 pods');
  });

  it('gives up, with the reason, when nothing arrives for a minute', async () => {
    const { clock, reading, done } = start();
    reading.size = 7;
    reading.problem = 'list pods: 503';
    for (let second = 0; second < 62; second += 1) await clock.advance(1_000);
    await expect(done).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('7 pods after 60 s without news: list pods: 503'),
    });
  });

  it('ends at once when it is told to, and leaves no timer', async () => {
    const { clock, stopping, done } = start();
    await clock.advance(1_000);
    stopping.abort(new Error('stop'));
    await expect(done).rejects.toThrow('stop');
  });
});
