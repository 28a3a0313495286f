import { describe, expect, it } from 'vitest';
import { Breaker, type CallVerdict, judgeByCode } from './breaker.ts';
import { FakeClock } from './fake-clock.ts';
import { codeOf, StatusError } from './status-error.ts';

const down = new StatusError('unavailable', 'no answer');
const fail = (): Promise<never> => Promise.reject(down);
const answer = (): Promise<string> => Promise.resolve('answer');

function setUp(judge?: (thrown: unknown) => CallVerdict): { clock: FakeClock; breaker: Breaker } {
  const clock = new FakeClock();
  const breaker = new Breaker({ name: 'ledger', clock, maxFailures: 3, openMs: 1000, judge });
  return { clock, breaker };
}

async function open(breaker: Breaker): Promise<void> {
  for (let i = 0; i < 3; i += 1) await expect(breaker.run(fail)).rejects.toBe(down);
}

describe('a closed breaker', () => {
  it('passes on results and errors', async () => {
    const { breaker } = setUp();
    await expect(breaker.run(answer)).resolves.toBe('answer');
    await expect(breaker.run(fail)).rejects.toBe(down);
    expect(breaker.status()).toEqual({
      state: 'closed',
      failuresInARow: 1,
      retryAfterMs: 0,
      answered: 1,
      failed: 1,
      refused: 0,
      opened: 0,
    });
  });

  it('passes on what a call throws before it returns a promise', async () => {
    const { breaker } = setUp();
    await expect(
      breaker.run(() => {
        throw down;
      }),
    ).rejects.toBe(down);
    expect(breaker.status().failed).toBe(1);
  });

  it('opens after the given number of failures in a row, and not before', async () => {
    const { breaker } = setUp();
    await breaker.run(fail).catch(() => undefined);
    await breaker.run(fail).catch(() => undefined);
    expect(breaker.status().state).toBe('closed');
    await breaker.run(fail).catch(() => undefined);
    expect(breaker.status()).toMatchObject({ state: 'open', failuresInARow: 3, retryAfterMs: 1000, opened: 1 });
  });

  it('counts anew after an answer', async () => {
    const { breaker } = setUp();
    for (const call of [fail, fail, answer, fail, fail]) await breaker.run<unknown>(call).catch(() => undefined);
    expect(breaker.status()).toMatchObject({ state: 'closed', failuresInARow: 2 });
  });

  it('takes a refusal for the caller’s fault as an answer', async () => {
    const { breaker } = setUp();
    const refuse = (): Promise<never> => Promise.reject(new StatusError('not_found', 'no such lease'));
    for (let i = 0; i < 5; i += 1) await expect(breaker.run(refuse)).rejects.toThrow('no such lease');
    expect(breaker.status()).toMatchObject({ state: 'closed', failuresInARow: 0, answered: 5, failed: 0 });
  });

  it('does not count a call whose caller gave up', async () => {
    const { breaker } = setUp();
    const aborted = AbortSignal.abort();
    for (let i = 0; i < 5; i += 1) {
      await expect(breaker.run(() => Promise.reject(aborted.reason))).rejects.toBe(aborted.reason);
    }
    expect(breaker.status()).toMatchObject({ state: 'closed', answered: 0, failed: 0 });
  });
});

describe('an open breaker', () => {
  it('refuses without calling, and says when it tries again', async () => {
    const { clock, breaker } = setUp();
    await open(breaker);
    await clock.advance(400);
    let calls = 0;
    const refused = await breaker
      .run(() => {
        calls += 1;
        return answer();
      })
      .catch((thrown: unknown) => thrown);
    expect(calls).toBe(0);
    expect(codeOf(refused)).toBe('unavailable');
    expect(refused).toMatchObject({
      message: 'ledger failed 3 times in a row; it is tried again in 600 ms',
      details: { retryAfterMs: 600 },
    });
    expect(breaker.status()).toMatchObject({ refused: 1, failed: 3 });
  });

  it('stays open when the wall clock jumps', async () => {
    const { clock, breaker } = setUp();
    await open(breaker);
    clock.skewWall(3_600_000);
    expect(breaker.status().state).toBe('open');
  });

  it('is not moved by calls that began before it opened', async () => {
    const { breaker } = setUp();
    const late = Promise.withResolvers<string>();
    const lateCall = breaker.run(() => late.promise);
    await open(breaker);
    late.resolve('late');
    await expect(lateCall).resolves.toBe('late');
    expect(breaker.status()).toMatchObject({ state: 'open', answered: 1 });
  });
});

describe('a half-open breaker', () => {
  async function halfOpen(): Promise<{ clock: FakeClock; breaker: Breaker }> {
    const made = setUp();
    await open(made.breaker);
    await made.clock.advance(1000);
    expect(made.breaker.status()).toMatchObject({ state: 'half-open', retryAfterMs: 0 });
    return made;
  }

  it('lets exactly one call through at a time', async () => {
    const { breaker } = await halfOpen();
    const probe = Promise.withResolvers<string>();
    const first = breaker.run(() => probe.promise);
    await expect(breaker.run(answer)).rejects.toThrow('a trial call is under way');
    await expect(breaker.run(answer)).rejects.toThrow(StatusError);
    probe.resolve('alive');
    await expect(first).resolves.toBe('alive');
    await expect(breaker.run(answer)).resolves.toBe('answer');
    expect(breaker.status()).toMatchObject({ state: 'closed', failuresInARow: 0, refused: 2 });
  });

  it('opens for another while when the probe fails', async () => {
    const { clock, breaker } = await halfOpen();
    await expect(breaker.run(fail)).rejects.toBe(down);
    expect(breaker.status()).toMatchObject({ state: 'open', retryAfterMs: 1000, failuresInARow: 4, opened: 2 });
    await clock.advance(999);
    await expect(breaker.run(answer)).rejects.toThrow('tried again in 1 ms');
    await clock.advance(1);
    await expect(breaker.run(answer)).resolves.toBe('answer');
  });

  it('lets the next call probe when the caller of the first gave up', async () => {
    const { breaker } = await halfOpen();
    await expect(breaker.run(() => Promise.reject(AbortSignal.abort().reason))).rejects.toThrow('aborted');
    expect(breaker.status().state).toBe('half-open');
    await expect(breaker.run(answer)).resolves.toBe('answer');
    expect(breaker.status().state).toBe('closed');
  });

  it('is not closed by a call that began before it opened', async () => {
    const { clock, breaker } = setUp();
    const late = Promise.withResolvers<string>();
    const lateCall = breaker.run(() => late.promise);
    await open(breaker);
    await clock.advance(1000);
    late.resolve('late');
    await lateCall;
    expect(breaker.status().state).toBe('half-open');
  });
});

describe('breaker options', () => {
  it('judges by the given rule', async () => {
    const { breaker } = setUp(() => 'answered');
    for (let i = 0; i < 5; i += 1) await breaker.run(fail).catch(() => undefined);
    expect(breaker.status()).toMatchObject({ state: 'closed', answered: 5 });
  });

  it.each([0, -1, 1.5, Number.NaN])('refuses %d as the number of failures', (maxFailures) => {
    expect(() => new Breaker({ name: 'ledger', clock: new FakeClock(), maxFailures, openMs: 1 })).toThrow('breaker ledger: maxFailures');
  });

  it.each<[CallVerdict, unknown]>([
    ['failed', new StatusError('unavailable', '')],
    ['failed', new StatusError('internal', '')],
    ['failed', new TypeError('bug')],
    ['failed', 'a string'],
    ['failed', AbortSignal.abort(new DOMException('too slow', 'TimeoutError')).reason],
    ['answered', new StatusError('invalid_argument', '')],
    ['answered', new StatusError('failed_precondition', '')],
    ['unknown', AbortSignal.abort().reason],
  ])('takes as %s: %s', (verdict, thrown) => {
    expect(judgeByCode(thrown)).toBe(verdict);
  });
});
