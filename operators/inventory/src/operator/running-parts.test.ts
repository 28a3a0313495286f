import { FakeClock, type Log, silentLog } from '@quartermaster/kernel';
import { describe, expect, it } from 'vitest';
import { RunningParts } from './running-parts.ts';

const setUp = () => {
  const failures: unknown[] = [];
  const logged: unknown[] = [];
  const log: Log = { ...silentLog, error: (message, facts) => logged.push([message, facts?.['part']]) };
  const clock = new FakeClock();
  return { failures, logged, clock, parts: new RunningParts({ clock, log, fail: (thrown) => failures.push(thrown) }) };
};

describe('running parts', () => {
  it('tells and logs that a part cannot go on', async () => {
    const { parts, failures, logged } = setUp();
    const bug = new TypeError('x is not a function');
    parts.run('reading', () => Promise.reject(bug));
    await expect.poll(() => failures).toEqual([bug]);
    expect(logged).toEqual([['a part cannot go on', 'reading']]);
    await parts.stop();
  });

  it('tells it of what is done now and then', async () => {
    const { parts, failures, clock } = setUp();
    const bug = new TypeError('x is not a function');
    parts.every('looking', 1000, () => {
      throw bug;
    });
    await clock.advance(1000);
    await expect.poll(() => failures).toEqual([bug]);
    await parts.stop();
  });

  it('says nothing of what ends because it is stopped', async () => {
    const { parts, failures, logged } = setUp();
    parts.run('reading', (signal) => new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))));
    await parts.stop();
    expect([failures, logged]).toEqual([[], []]);
  });
});
