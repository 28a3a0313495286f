import { FakeClock, type Log, type Random, StatusError } from '@quartermaster/kernel';
import { afterEach, describe, expect, it } from 'vitest';
import { MemoryCache } from '../test/memory-cache.ts';
import { conflict, failure } from '../test/memory-kube.ts';
import { Controller, type ControllerOptions, type ReconcileEvent } from './controller.ts';
import { again, done, type Outcome } from './reconciler.ts';
import { sourceOf } from './source.ts';

const middle: Random = { next: () => 0.5, fill: (bytes) => bytes };
const highest: Random = { next: () => 1, fill: (bytes) => bytes };

type Reconcile = (key: string, signal: AbortSignal) => Promise<Outcome>;

const toStop: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const stop of toStop.splice(0)) await stop();
});

function start(reconcile: Reconcile, options: Partial<ControllerOptions> = {}) {
  const clock = new FakeClock();
  const cache = new MemoryCache<string>();
  const events: ReconcileEvent[] = [];
  const lines: string[] = [];
  const write = (level: string) => (message: string) => lines.push(`${level}: ${message}`);
  const log: Log = { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') };
  const controller = new Controller({
    reconciler: { name: 'test', reconcile },
    sources: [sourceOf(cache)],
    clock,
    random: middle,
    log,
    onOutcome: (event) => events.push(event),
    ...options,
  });
  const stopping = new AbortController();
  const running = controller.run(stopping.signal);
  const stop = async (): Promise<void> => {
    stopping.abort(new Error('test ends'));
    await running;
  };
  toStop.push(stop);
  return { clock, cache, events, lines, controller, running, stop, kinds: () => events.map((event) => event.kind) };
}

describe('Controller', () => {
  it('reconciles nothing before every source is complete, and then every key there is', async () => {
    const seen: string[] = [];
    const second = new MemoryCache<string>();
    const first = new MemoryCache<string>();
    const { clock, controller } = start(
      async (key) => {
        seen.push(key);
        return await Promise.resolve(done);
      },
      { sources: [sourceOf(first), sourceOf(second, (entry) => [entry.value])] },
    );
    first.put('ns/a', '');
    first.sync();
    await clock.advance(1000);
    expect(seen).toEqual([]);
    expect(controller.status()).toMatchObject({ state: 'syncing', synced: false });
    second.put('ns/child', 'ns/b');
    second.sync();
    await clock.advance(0);
    expect(seen).toEqual(['ns/a', 'ns/b']);
    expect(controller.status()).toMatchObject({ state: 'running', synced: true });
  });

  it('wakes the keys of both states of a changed object, and of a deleted one', async () => {
    const seen: string[] = [];
    const owned = new MemoryCache<string>();
    const { clock } = start(
      async (key) => {
        seen.push(key);
        return await Promise.resolve(done);
      },
      { sources: [sourceOf(owned, (entry) => [entry.value])] },
    );
    owned.put('ns/child', 'old-owner');
    owned.sync();
    await clock.advance(0);
    owned.put('ns/child', 'new-owner');
    await clock.advance(0);
    owned.remove('ns/child');
    await clock.advance(0);
    expect(seen).toEqual(['old-owner', 'old-owner', 'new-owner', 'new-owner']);
  });

  it('goes on with the other objects when the mapping of one throws', async () => {
    const seen: string[] = [];
    const cache = new MemoryCache<string>();
    const { clock, lines } = start(
      async (key) => {
        seen.push(key);
        return await Promise.resolve(done);
      },
      {
        sources: [
          sourceOf(cache, (entry) => {
            if (entry.value === 'bad') throw new TypeError('no owner');
            return [entry.key];
          }),
        ],
      },
    );
    cache.put('a', 'bad');
    cache.put('b', 'good');
    cache.sync();
    await clock.advance(0);
    expect(seen).toEqual(['b']);
    expect(lines).toContain('error: keys of a changed object could not be told');
  });

  it('brings a key back after the time it asked for', async () => {
    const { clock, cache, kinds } = start(async () => await Promise.resolve(again(5000)));
    cache.put('a', '');
    cache.sync();
    await clock.advance(4999);
    expect(kinds()).toEqual(['again']);
    await clock.advance(1);
    expect(kinds()).toEqual(['again', 'again']);
  });

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

  it('brings every key back in a full pass, terminal ones included', async () => {
    const { clock, cache, kinds, controller } = start(
      async (key) => {
        await Promise.resolve();
        if (key === 'bad') throw new StatusError('invalid_argument', 'no');
        return done;
      },
      { fullPassEveryMs: 60_000 },
    );
    cache.put('bad', '');
    cache.put('good', '');
    cache.sync();
    await clock.advance(59_999);
    expect(kinds()).toEqual(['terminal', 'done']);
    await clock.advance(1);
    expect(kinds()).toEqual(['terminal', 'done', 'terminal', 'done']);
    await clock.advance(60_000);
    expect(controller.status().fullPasses).toBe(2);
  });

  it('runs as many reconciles at a time as it has workers, and never two of one key', async () => {
    const active: string[] = [];
    let most = 0;
    const gates: (() => void)[] = [];
    const { clock, cache } = start(
      async (key) => {
        expect(active).not.toContain(key);
        active.push(key);
        most = Math.max(most, active.length);
        await new Promise<void>((resolve) => gates.push(resolve));
        active.splice(active.indexOf(key), 1);
        return done;
      },
      { workers: 3 },
    );
    for (let i = 0; i < 8; i += 1) cache.put(`key-${i}`, '');
    cache.sync();
    await clock.advance(0);
    for (let i = 0; i < 8; i += 1) cache.put(`key-${i}`, 'changed');
    expect(active).toEqual(['key-0', 'key-1', 'key-2']);
    while (gates.length > 0) {
      gates.shift()?.();
      await clock.advance(0);
    }
    expect(most).toBe(3);
    expect(active).toEqual([]);
  });

  it('tells a reconcile that takes too long to stop, and retries it', async () => {
    let reason: unknown;
    const { clock, cache, kinds, lines } = start(
      (_key, signal) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => {
            reason = signal.reason;
            reject(signal.reason);
          });
        }),
      { reconcileTimeoutMs: 1000 },
    );
    cache.put('a', '');
    cache.sync();
    await clock.advance(999);
    expect(kinds()).toEqual([]);
    await clock.advance(1);
    expect(kinds()).toEqual(['failed']);
    expect(reason).toMatchObject({ code: 'unavailable' });
    expect(lines).toContain('warn: reconcile takes too long and was told to stop');
  });

  it('stops when told: signals what runs, waits for it, starts nothing more and lets go of its sources', async () => {
    const finish = Promise.withResolvers<void>();
    const signals: AbortSignal[] = [];
    const { clock, cache, controller, running, stop, kinds } = start(async (_key, signal) => {
      signals.push(signal);
      await finish.promise;
      throw new Error('interrupted');
    });
    cache.put('a', '');
    cache.put('b', '');
    cache.sync();
    await clock.advance(0);
    const stopped = stop();
    expect(signals.map((signal) => signal.aborted)).toEqual([true]);
    expect(controller.status().state).toBe('stopping');
    finish.resolve();
    await stopped;
    await running;
    expect(signals).toHaveLength(1);
    expect(kinds()).toEqual(['stopped']);
    expect(controller.status().state).toBe('stopped');
    expect(cache.listeners).toBe(0);
    expect(clock.pendingTimers).toBe(0);
  });

  it('stops while it still waits for its sources', async () => {
    const { stop, controller } = start(async () => await Promise.resolve(done));
    await stop();
    expect(controller.status().state).toBe('stopped');
  });

  it('says so when a source can never become complete', async () => {
    const cache = new MemoryCache<string>();
    const controller = new Controller({
      reconciler: { name: 'test', reconcile: async () => await Promise.resolve(done) },
      sources: [sourceOf(cache)],
    });
    const running = controller.run(new AbortController().signal);
    cache.breakDown(new Error('cache stopped'));
    await expect(running).rejects.toThrow('cache stopped');
    await expect(controller.run(new AbortController().signal)).rejects.toThrow('started twice');
  });

  it('reconciles a key asked for from outside, and survives an outcome listener that throws', async () => {
    const seen: string[] = [];
    const { clock, cache, controller, lines } = start(
      async (key) => {
        seen.push(key);
        return await Promise.resolve(done);
      },
      {
        onOutcome: () => {
          throw new Error('metrics are down');
        },
      },
    );
    cache.sync();
    controller.enqueue('x');
    await clock.advance(0);
    controller.enqueue('y');
    await clock.advance(0);
    expect(seen).toEqual(['x', 'y']);
    expect(lines).toContain('error: outcome listener failed');
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
