import { FakeClock } from '@quartermaster/kernel';
import { describe, expect, it } from 'vitest';
import { keptAnswer } from './kept-answer.ts';

describe('an answer that is kept', () => {
  it('is asked for once in its time, however many want to know', async () => {
    const clock = new FakeClock();
    let asked = 0;
    const answer = keptAnswer(clock, 1_000, async () => (asked += 1));
    expect(await Promise.all([answer(), answer()])).toEqual([1, 1]);
    await clock.advance(999);
    expect(await answer()).toBe(1);
    await clock.advance(1);
    expect(await answer()).toBe(2);
  });

  it('is asked for again where it failed', async () => {
    const answers = [Promise.reject(new Error('away')), Promise.resolve('here')];
    const answer = keptAnswer(new FakeClock(), 1_000, () => answers.shift() ?? Promise.resolve('later'));
    await expect(Promise.all([answer(), answer()])).rejects.toThrow('away');
    expect([await answer(), await answer()]).toEqual(['here', 'here']);
  });

  it('that fails late does not take away the one after it', async () => {
    const clock = new FakeClock();
    const late = Promise.withResolvers<string>();
    const answers = [late.promise, Promise.resolve('new')];
    const answer = keptAnswer(clock, 1_000, () => answers.shift() ?? Promise.resolve('one too many'));
    const first = answer();
    await clock.advance(1_000);
    expect(await answer()).toBe('new');
    late.reject(new Error('late'));
    await expect(first).rejects.toThrow('late');
    expect(await answer()).toBe('new');
  });
});
