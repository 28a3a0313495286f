import { type Clock, FakeClock } from '@quartermaster/kernel';
import { describe, expect, it } from 'vitest';
import { FitQuestions } from './fit-questions.ts';

const { signal } = new AbortController();

describe('questions about what fits', () => {
  it('are answered one by one, with everything else heard in between', async () => {
    const questions = new FitQuestions(new FakeClock());
    const told: string[] = [];
    const asked = ['first', 'second', 'third'].map((name) =>
      questions.ask(
        name,
        () => {
          told.push(name);
          setImmediate(() => told.push(`after ${name}`));
        },
        signal,
      ),
    );
    await Promise.all(asked);
    expect(told).toEqual(['first', 'after first', 'second', 'after second', 'third']);
  });

  it('leave the process as much time for all else as a long one took', async () => {
    const fake = new FakeClock();
    let worked = 0;
    const clock: Clock = {
      now: () => fake.now(),
      monotonic: () => fake.monotonic() + worked,
      schedule: (afterMs, callback) => fake.schedule(afterMs, callback),
    };
    const questions = new FitQuestions(clock);
    await questions.ask('a', () => void (worked += 400), signal);
    let isAnswered = false;
    const next = questions.ask('a', () => void (isAnswered = true), signal);
    await fake.advance(399);
    expect(isAnswered).toBe(false);
    await fake.advance(1);
    await next;
    expect(isAnswered).toBe(true);
  });

  it('are refused when many wait, cost nothing once their caller is gone, and go on after one that fails', async () => {
    const questions = new FitQuestions(new FakeClock());
    const gone = new AbortController();
    let answered = 0;
    const failing = questions.ask(
      'a',
      () => {
        throw new Error('wrong');
      },
      signal,
    );
    const waiting = Array.from({ length: 31 }, (_, at) => questions.ask(`b-${at}`, () => (answered += 1), gone.signal));
    await expect(questions.ask('c', () => 0, signal)).rejects.toMatchObject({
      code: 'resource_exhausted',
      details: { retryAfterMs: 1_000 },
    });
    gone.abort(new Error('gone'));
    await expect(failing).rejects.toThrow('wrong');
    expect(new Set((await Promise.allSettled(waiting)).map(({ status }) => status))).toEqual(new Set(['rejected']));
    expect(answered).toBe(0);
    expect(await questions.ask('a', () => 'yes', signal)).toBe('yes');
  });

  it('of one caller do not keep another from asking', async () => {
    const questions = new FitQuestions(new FakeClock());
    const greedy = Array.from({ length: 4 }, () => questions.ask('greedy', () => 'yes', signal));
    await expect(questions.ask('greedy', () => 'more', signal)).rejects.toMatchObject({
      code: 'resource_exhausted',
      message: '4 questions of yours about what fits wait already: ask again when they are answered',
    });
    expect(await questions.ask('another', () => 'yes', signal)).toBe('yes');
    await Promise.all(greedy);
    expect(await questions.ask('greedy', () => 'again', signal)).toBe('again');
  });
});
