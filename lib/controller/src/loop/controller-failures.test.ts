import { type Random, StatusError } from '@quartermaster/kernel';
import { describe, expect, it } from 'vitest';
import { conflict, failure } from '../../test/memory-kube.ts';
import { startController as start } from '../../test/start-controller.ts';
import { again, done } from './reconciler.ts';

const highest: Random = { next: () => 1, fill: (bytes) => bytes };

describe('Controller whose reconciler fails', () => {
  it('retries a failure with growing waits, shows it in the status, and forgets it after a success', async () => {
    let isBroken = true;
    const { clock, cache, events, controller } = start(
      async () => {
        if (isBroken) throw new StatusError('unavailable', 'database is away');
        return await Promise.resolve(done);
      },
      { random: highest, backoff: { firstMs: 100, maxMs: 10_000, factor: 2 } },
    );
    cache.put('a', '');
    cache.sync();
    await clock.advance(350);
    expect(events.map((event) => event.afterMs)).toEqual([100, 200, 400]);
    expect(controller.status()).toMatchObject({ errors: [{ key: 'a', message: 'database is away', failures: 3 }] });
    isBroken = false;
    await clock.advance(400);
    expect(events.at(-1)?.kind).toBe('done');
    expect(controller.status()).toMatchObject({ errors: [], queue: { failing: 0 }, outcomes: { failed: 3, done: 1 } });
  });

  it('survives a reconciler that throws before it returns a promise, and one that throws no error', async () => {
    const { clock, cache, kinds } = start((key) => {
      if (key === 'a') throw new RangeError('synchronous');
      return key === 'b' ? Promise.reject('a string') : Promise.resolve(done);
    });
    for (const key of ['a', 'b', 'c']) cache.put(key, '');
    cache.sync();
    await clock.advance(0);
    expect(kinds()).toEqual(['failed', 'failed', 'done']);
  });

  it('does not retry a terminal error until the object changes', async () => {
    const { clock, cache, kinds, controller } = start(async () => {
      await Promise.resolve();
      throw new StatusError('invalid_argument', 'spec.message is empty');
    });
    cache.put('a', '');
    cache.sync();
    await clock.advance(300_000);
    expect(kinds()).toEqual(['terminal']);
    expect(controller.status().errors).toMatchObject([{ key: 'a', message: 'spec.message is empty', failures: 0 }]);
    cache.put('a', 'changed');
    await clock.advance(0);
    expect(kinds()).toEqual(['terminal', 'terminal']);
  });

  it('retries a stale copy soon and quietly, also when the reconciler wrapped the error', async () => {
    let tries = 0;
    const { clock, cache, kinds, lines, controller } = start(async () => {
      tries += 1;
      await Promise.resolve();
      if (tries === 1) throw conflict();
      if (tries === 2) throw new StatusError('failed_precondition', 'apply ingress a/b', { cause: conflict() });
      return done;
    });
    cache.put('a', '');
    cache.sync();
    await clock.advance(100);
    expect(kinds()).toEqual(['conflict', 'conflict', 'done']);
    expect(lines.filter((line) => line.startsWith('error') || line.startsWith('warn'))).toEqual([]);
    expect(controller.status().errors).toEqual([]);
  });

  it('shows a conflict that does not pass', async () => {
    const { clock, cache, controller } = start(async () => await Promise.reject(conflict()));
    cache.put('a', '');
    cache.sync();
    await clock.advance(60_000);
    expect(controller.status().errors).toMatchObject([{ key: 'a', message: 'conflict' }]);
  });

  it('treats a conflict with another field manager as a failure', async () => {
    const causes = [{ field: '.spec', reason: 'FieldManagerConflict', message: 'conflict with "helm"' }];
    const { clock, cache, kinds } = start(async () => await Promise.reject(failure('failed_precondition', { kind: 'conflict', causes })));
    cache.put('a', '');
    cache.sync();
    await clock.advance(0);
    expect(kinds()).toEqual(['failed']);
  });

  it('waits as long as the server asks, and longer when the backoff says so', async () => {
    const throttled = (retryAfterMs: number) => failure('unavailable', { kind: 'throttled', retryAfterMs });
    const errors = [throttled(7000), throttled(1)];
    const { clock, cache, events } = start(async () => await Promise.reject(errors.shift()), {
      random: highest,
      backoff: { firstMs: 100, maxMs: 10_000, factor: 2 },
    });
    cache.put('a', '');
    cache.sync();
    await clock.advance(7000);
    expect(events.map((event) => event.afterMs)).toEqual([7000, 200]);
  });

  it('counts a delay that is no number as a bug of the reconciler and retries', async () => {
    const { clock, cache, kinds, controller } = start(async () => await Promise.resolve(again(Number.NaN)));
    cache.put('a', '');
    cache.sync();
    await clock.advance(0);
    expect(kinds()).toEqual(['failed']);
    expect(controller.status().errors[0]?.message).toContain('afterMs');
  });

  it('keeps the errors of the hundred keys that failed last', async () => {
    const { clock, cache, controller } = start(async () => await Promise.reject(new StatusError('invalid_argument', 'no')));
    for (let i = 0; i < 130; i += 1) cache.put(`key-${i}`, '');
    cache.sync();
    await clock.advance(0);
    const errors = controller.status().errors;
    expect(errors).toHaveLength(100);
    expect([errors[0]?.key, errors[99]?.key]).toEqual(['key-129', 'key-30']);
  });
});
