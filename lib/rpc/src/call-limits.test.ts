import { FakeClock, retryAfterMsOf, StatusError } from '@quartermaster/kernel';
import { describe, expect, it } from 'vitest';
import { anonymous, type Identity } from './authentication.ts';
import { CallLimits } from './call-limits.ts';

const named = (name: string): Identity => ({ kind: 'token', name, groups: [] });

function limits(perSecond = 10) {
  const clock = new FakeClock();
  return { clock, all: new CallLimits({ perSecond, setting: 'sample-requests-per-second', clock }) };
}

function thrownBy(work: () => void): unknown {
  try {
    work();
    return undefined;
  } catch (thrown) {
    return thrown;
  }
}

describe('limits of calls', () => {
  it('let a caller have what has gathered, then as much as comes in, and say when to come back', async () => {
    const { all, clock } = limits();
    const call = (): void => all.called(named('ann'), 'a:1', 't');
    for (let calls = 0; calls < 40; calls += 1) call();
    const refused = thrownBy(call);
    expect(refused).toBeInstanceOf(StatusError);
    expect(refused).toMatchObject({ code: 'resource_exhausted', details: { retryAfterMs: 100, limitPerSecond: 10 } });
    expect(String(refused)).toMatch(/ann makes more than 10 requests per second: .* or have sample-requests-per-second raised/);
    await clock.advance(retryAfterMsOf(refused) ?? 0);
    call();
    expect(call).toThrow('more than 10');
    await clock.advance(3_600_000);
    for (let calls = 0; calls < 40; calls += 1) call();
    expect(call).toThrow('more than 10');
  });

  it('count each caller for itself, and the same name proven in another way as another', () => {
    const { all } = limits(1);
    const busy = (): void => all.called(named('ann'), 'a:1', 't');
    while (thrownBy(busy) === undefined);
    expect(() => all.called(named('bob'), 'a:1', 't')).not.toThrow();
    expect(() => all.called({ ...named('ann'), kind: 'certificate' }, 'a:1', undefined)).not.toThrow();
  });

  it('count who is not known by address, whatever port it comes from, and a tenth as much', () => {
    const { all } = limits();
    for (let port = 1; port <= 4; port += 1) all.called(anonymous, `192.0.2.7:${port}`, undefined);
    expect(() => all.called(anonymous, '192.0.2.7:9', undefined)).toThrow('192.0.2.7 makes more than 1 requests per second');
    expect(() => all.called(anonymous, '[2001:db8::1]:9', undefined)).not.toThrow();
  });

  it('turn an address away that keeps guessing, but nobody there who was known before', async () => {
    const { all, clock } = limits();
    all.called(named('ann'), '192.0.2.7:1', 'good');
    for (let guesses = 0; guesses < 4; guesses += 1) {
      all.arrived('192.0.2.7:2', `guess ${guesses}`);
      all.refused('192.0.2.7:2');
    }
    expect(() => all.arrived('192.0.2.7:3', 'another guess')).toThrow(expect.objectContaining({ code: 'resource_exhausted' }));
    expect(() => all.arrived('192.0.2.7:3', undefined)).toThrow(expect.objectContaining({ code: 'resource_exhausted' }));
    expect(() => all.arrived('192.0.2.7:4', 'good')).not.toThrow();
    expect(() => all.arrived('192.0.2.8:1', 'another guess')).not.toThrow();
    await clock.advance(1_000);
    expect(() => all.arrived('192.0.2.7:3', 'another guess')).not.toThrow();
  });

  it('let no more guesses through that come at the same time than one after the other', async () => {
    const { all, clock } = limits();
    const passed = (guesses: readonly (string | undefined)[]) =>
      guesses.filter((guess) => thrownBy(() => all.arrived('192.0.2.7:2', guess)) === undefined);
    const first = passed(Array.from({ length: 100 }, (_, index) => `guess ${index}`));
    expect(first).toHaveLength(4);
    for (const guess of first) all.refused('192.0.2.7:2', guess);
    expect(passed(['another'])).toEqual([]);
    await clock.advance(3_600_000);
    expect(passed(Array.from({ length: 100 }))).toHaveLength(4);
  });

  it('give an address back what arrived of callers that are known, and no more than that', () => {
    const { all } = limits();
    const arrive = (): void => all.arrived('192.0.2.7:1', 'guess');
    for (let calls = 0; calls < 3; calls += 1) all.arrived('192.0.2.7:1', 'good');
    for (let calls = 0; calls < 5; calls += 1) all.called(named('ann'), '192.0.2.7:1', 'good');
    for (let calls = 0; calls < 5; calls += 1) all.called({ ...named('bob'), kind: 'certificate' }, '192.0.2.7:1', undefined);
    for (let guesses = 0; guesses < 4; guesses += 1) arrive();
    all.called({ ...named('bob'), kind: 'certificate' }, '192.0.2.7:1', undefined);
    expect(arrive).toThrow('more than 1');
  });

  it('count a call of somebody who needs not be known once', () => {
    const { all } = limits();
    const call = (): void => {
      all.arrived('192.0.2.7:1', undefined);
      all.called(anonymous, '192.0.2.7:1', undefined);
    };
    for (let calls = 0; calls < 4; calls += 1) call();
    expect(call).toThrow('more than 1');
  });

  it('turn a token away that was good once like any other, with what it cost until it was found out', () => {
    const { all } = limits();
    all.called(named('ann'), '192.0.2.7:1', 'good');
    const guess = (): void => {
      all.arrived('192.0.2.7:1', 'good');
      all.refused('192.0.2.7:1', 'good');
    };
    for (let guesses = 0; guesses < 4; guesses += 1) guess();
    expect(guess).toThrow('more than 1');
    expect(() => all.arrived('192.0.2.7:1', 'another')).toThrow('more than 1');
  });

  it('trust a token for what it proved itself, not for the certificate it came with', () => {
    const { all } = limits();
    all.called({ ...named('ann'), kind: 'certificate' }, '192.0.2.7:1', 'guess');
    for (let guesses = 0; guesses < 4; guesses += 1) all.arrived('192.0.2.7:1', 'guess');
    expect(() => all.arrived('192.0.2.7:1', 'guess')).toThrow('more than 1');
  });

  it('remember a bounded number of callers', () => {
    const { all } = limits(1);
    for (let index = 0; index < 4; index += 1) all.called(named('first'), 'a:1', undefined);
    expect(() => all.called(named('first'), 'a:1', undefined)).toThrow('more than 1');
    for (let index = 0; index < 10_000; index += 1) all.called(named(`caller-${index}`), 'a:1', undefined);
    expect(() => all.called(named('first'), 'a:1', undefined)).not.toThrow();
  });
});
