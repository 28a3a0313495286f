import { StatusError } from '@quartermaster/kernel';
import { describe, expect, it } from 'vitest';
import { MemoryCache } from '../../test/memory-cache.ts';
import { startController as start } from '../../test/start-controller.ts';
import { sourceOf } from '../objects/cache-source.ts';
import { Controller } from './controller.ts';
import { again, done } from './reconciler.ts';

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
    expect(lines).toContain('error: cannot map a changed object to keys');
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

  it('brings every key back in a full pass, terminal ones included', async () => {
    const { clock, cache, kinds, controller } = start(
      async (key) => {
        await Promise.resolve();
        if (key === 'bad') throw new StatusError('invalid_argument', 'no');
        return done;
      },
      { fullPassIntervalMs: 60_000 },
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
    expect(lines).toContain('warn: reconcile takes too long and was aborted');
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
});
