import { type BackoffOptions, FakeClock, StatusError, seededRandom } from '@quartermaster/kernel';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { defineConfig, joinConfigs } from './config/define-config.ts';
import { watchConfig } from './config/watch-config.ts';
import type { WatchedFiles } from './files/file-watch.ts';
import { Health } from './health.ts';
import { Lifecycle } from './lifecycle.ts';
import { createLogger } from './logger.ts';
import { Metrics } from './metrics.ts';
import { defineRole, type Role, type RoleContext, type RoleHandle } from './role.ts';
import { runRoles } from './run-roles.ts';
import { SharedKey } from './shared-parts.ts';

const noSettings = defineConfig({});
const restart: BackoffOptions = { firstMs: 1000, maxMs: 60_000, factor: 2 };

/** A role that writes down what happens to it, and that a test can make fail. */
function played(name: string, events: string[], more: Partial<Role> & { readonly handle?: Partial<RoleHandle> } = {}) {
  const contexts: RoleContext[] = [];
  const { handle, ...rest } = more;
  const role: Role = {
    name,
    summary: `Plays ${name}.`,
    config: noSettings,
    start: (context) => {
      contexts.push(context);
      events.push(`${name} starts`);
      return Promise.resolve({ stop: () => void events.push(`${name} stops`), ...handle });
    },
    ...rest,
  };
  return { role, contexts, fail: (message: string) => contexts.at(-1)?.fail(new StatusError('unavailable', message)) };
}

async function world(roles: readonly Role[], file?: { text: string }, health?: Health) {
  const clock = new FakeClock(0);
  const files: WatchedFiles = { readText: () => Promise.resolve(file?.text ?? ''), watchFolder: () => () => {} };
  const lines: string[] = [];
  const options = {
    clock,
    random: seededRandom(1),
    version: '1.2.3',
    config: await watchConfig(joinConfigs(roles.map((role) => role.config)), { file: 'q.yaml', files, clock }),
    log: createLogger({ destination: { write: (line) => lines.push(line) } }),
    lifecycle: new Lifecycle({ clock }),
    metrics: new Metrics({ process: false }),
    health: health ?? new Health({ clock }),
  };
  return { ...options, lines, run: (configCheck?: string) => runRoles(roles, { ...options, configCheck }) };
}

describe('runRoles', () => {
  it('starts in order, each when the one before is ready, and stops in the reverse order', async () => {
    const events: string[] = [];
    const { promise: ready, resolve } = Promise.withResolvers<void>();
    const a = played('a', events, { handle: { ready: () => ready } });
    const b = played('b', events);
    const { run, lifecycle, clock, health } = await world([a.role, b.role]);
    const running = run();
    await clock.advance(0);
    expect(events).toEqual(['a starts']);
    expect((await health.report('ready')).checks.map(({ name, reason }) => [name, reason])).toEqual([
      ['role/a', 'is starting'],
      ['role/b', 'is waiting'],
      ['config', undefined],
    ]);
    resolve();
    const { status } = await running;
    expect((await health.report('ready')).state).toBe('ok');
    expect(status()).toMatchObject([
      { name: 'a', state: 'ready', restarts: 0 },
      { name: 'b', state: 'ready' },
    ]);
    await lifecycle.stop({ kind: 'request', by: 'test' });
    expect(events).toEqual(['a starts', 'b starts', 'b stops', 'a stops']);
    expect(status().map(({ state }) => state)).toEqual(['stopped', 'stopped']);
  });

  it('starts a role again after a failure when it may be, and is not ready meanwhile', async () => {
    const events: string[] = [];
    const a = played('a', events, { restart });
    const { run, clock, health, metrics, lifecycle } = await world([a.role]);
    const { status } = await run();
    a.fail('connection lost');
    await clock.advance(400);
    expect(status()).toMatchObject([{ state: 'retrying', reason: 'connection lost' }]);
    expect((await health.report('ready')).checks[0]).toMatchObject({ state: 'failed', reason: 'is retrying: connection lost' });
    expect(a.contexts[0]?.signal.aborted).toBe(true);
    await clock.advance(600);
    expect(events).toEqual(['a starts', 'a stops', 'a starts']);
    expect(status()).toMatchObject([{ state: 'ready', restarts: 1 }]);
    expect((await metrics.scrape()).text).toContain('quartermaster_role_restarts_total{role="a"} 1');
    expect(lifecycle.signal.aborted).toBe(false);
    await lifecycle.stop({ kind: 'request', by: 'test' });
  });

  it('waits longer after each failure, and anew after it has worked for long', async () => {
    const a = played('a', [], { restart });
    const { run, clock, lifecycle } = await world([a.role]);
    await run();
    const untilBack = async (): Promise<number> => {
      const began = clock.monotonic();
      const lives = a.contexts.length;
      a.fail('lost');
      while (a.contexts.length === lives) await clock.advance(50);
      await clock.advance(0);
      return clock.monotonic() - began;
    };
    const waits = [await untilBack(), await untilBack(), await untilBack(), await untilBack()];
    expect(waits.every((wait, i) => wait >= 500 * 2 ** i && wait <= 1050 * 2 ** i)).toBe(true);
    await clock.advance(60_000);
    expect(await untilBack()).toBeLessThanOrEqual(1050);
    await lifecycle.stop({ kind: 'request', by: 'test' });
  });

  it('stops everything when a role fails that may not be started again', async () => {
    const events: string[] = [];
    const a = played('a', events);
    const b = played('b', events);
    const { run, lifecycle } = await world([a.role, b.role]);
    await run();
    a.fail('broken');
    const report = await lifecycle.ended;
    expect(report.reason).toMatchObject({ kind: 'failure', error: { message: 'role a failed', code: 'unavailable' } });
    expect(events).toEqual(['a starts', 'b starts', 'a stops', 'b stops']);
  });

  it('does not start a role again whose input breaks a rule', async () => {
    const a = played('a', [], { restart, start: () => Promise.reject(new StatusError('invalid_argument', 'no such zone')) });
    const { run, lifecycle } = await world([a.role]);
    await expect(run()).rejects.toThrow('role a failed');
    expect((await lifecycle.ended).reason.kind).toBe('failure');
  });

  it('throws what keeps a role from starting, after those before it have stopped', async () => {
    const events: string[] = [];
    const a = played('a', events);
    const b = played('b', events, {
      start: () => {
        throw new Error('no port');
      },
    });
    const c = played('c', events);
    const { run } = await world([a.role, b.role, c.role]);
    await expect(run()).rejects.toMatchObject({ message: 'role b failed', cause: { message: 'no port' } });
    expect(events).toEqual(['a starts', 'a stops']);
  });

  it('gives up a start when the stop begins, and starts nothing more', async () => {
    const events: string[] = [];
    const a = played('a', events, {
      restart,
      start: ({ signal }) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason));
        }),
    });
    const b = played('b', events);
    const { run, lifecycle, clock } = await world([a.role, b.role]);
    const running = run();
    await clock.advance(0);
    expect(await lifecycle.stop({ kind: 'signal', signal: 'SIGINT' })).toMatchObject({ notStopped: [], failed: [] });
    await running;
    expect(events).toEqual([]);
  });

  it('stops what was started although the start was to be given up', async () => {
    const events: string[] = [];
    const { promise, resolve } = Promise.withResolvers<RoleHandle>();
    const a = played('a', events, { start: () => promise });
    const { run, lifecycle, clock } = await world([a.role]);
    const running = run();
    await clock.advance(0);
    const stopping = lifecycle.stop({ kind: 'request', by: 'test' });
    resolve({ stop: () => void events.push('stopped') });
    await Promise.all([stopping, running]);
    expect(events).toEqual(['stopped']);
  });

  it('does not wait for the next try of a failed role when it is stopped', async () => {
    const a = played('a', [], { restart: { firstMs: 1e6, maxMs: 1e6, factor: 1 } });
    const { run, lifecycle, clock, config } = await world([a.role]);
    await run();
    a.fail('lost');
    await clock.advance(0);
    expect(await lifecycle.stop({ kind: 'request', by: 'test' })).toMatchObject({ notStopped: [], tookMs: 0 });
    await config.close();
    expect(clock.pendingTimers).toBe(0);
  });

  it('names a role that does not stop in time, and tells it to give up', async () => {
    const a = played('a', [], { handle: { stop: () => new Promise(() => {}) } });
    const { run, lifecycle, clock } = await world([a.role]);
    await run();
    const stopping = lifecycle.stop({ kind: 'request', by: 'test' });
    await clock.advance(5000);
    expect((await stopping).notStopped).toEqual(['a']);
    expect(a.contexts[0]?.signal.aborted).toBe(true);
  });

  it('gives each role its own settings and tells it when they change', async () => {
    const own = defineConfig({
      limit: z.int().default(1).meta({ description: 'Limit.', reloadable: true }),
      port: z.int().default(1).describe('Port.'),
    });
    const other = defineConfig({ other: z.int().default(1).meta({ description: 'Other.', reloadable: true }) });
    const told: unknown[] = [];
    const a = defineRole({
      name: 'a',
      summary: 'A.',
      config: own,
      start: (context) => {
        told.push(context.config);
        context.onConfig((config, changed) => told.push([config.limit, changed]));
        return Promise.resolve({ stop: () => {} });
      },
    });
    const b = played('b', [], { config: other });
    const file = { text: 'limit: 2\n' };
    const { run, clock, lifecycle, health } = await world([a, b.role], file);
    await run();
    file.text = 'limit: 2\nother: 5\n';
    await clock.advance(10_000);
    file.text = 'limit: 3\nother: 5\nport: 9\n';
    await clock.advance(10_000);
    expect(told).toEqual([{ limit: 2, port: 1 }, [3, ['limit']]]);
    expect((await health.report('ready')).checks.at(-1)).toMatchObject({
      name: 'config',
      state: 'degraded',
      reason: expect.stringContaining('port'),
    });
    await lifecycle.stop({ kind: 'request', by: 'test' });
    file.text = 'limit: 4\n';
    await clock.advance(10_000);
    expect(told).toHaveLength(2);
  });

  it('shows the configuration of each go where roles are run in several', async () => {
    const settings = defineConfig({ port: z.int().default(1).describe('Its port.') });
    const file = { text: 'port: 2\n' };
    const first = await world([played('a', [], { config: settings }).role], file);
    const second = await world([played('b', []).role], { text: '' }, first.health);
    await first.run('config/first');
    await second.run('config/second');
    file.text = 'port: 3\n';
    await first.clock.advance(10_000);
    const checks = (await first.health.report('ready')).checks.filter(({ name }) => name.startsWith('config'));
    expect(checks.map(({ name, state }) => [name, state])).toEqual([
      ['config/first', 'degraded'],
      ['config/second', 'ok'],
    ]);
    await first.lifecycle.stop({ kind: 'request', by: 'test' });
    await second.lifecycle.stop({ kind: 'request', by: 'test' });
  });

  it('lets roles share embedded parts', async () => {
    const bus = new SharedKey<{ readonly url: string }>('bus');
    const seen: unknown[] = [];
    const provider = played('provider', [], {
      start: ({ shared }) => {
        shared.provide(bus, { url: 'memory:' });
        return Promise.resolve({ stop: () => {} });
      },
    });
    const user = played('user', [], {
      start: ({ shared }) => {
        seen.push(shared.find(bus)?.url, shared.find(new SharedKey<string>('bus')));
        return Promise.resolve({ stop: () => {} });
      },
    });
    const both = await world([provider.role, user.role]);
    await both.run();
    expect(seen).toEqual(['memory:', undefined]);
    await both.lifecycle.stop({ kind: 'request', by: 'test' });
  });

  it('names the role in logs and health, forgets its checks with it, and shows what it says of itself', async () => {
    const a = played('a', [], { restart, handle: { status: () => ({ queue: 3 }) } });
    const { run, clock, health, lines, lifecycle } = await world([a.role]);
    const { status } = await run();
    a.contexts[0]?.health.register('cache', 'ready', () => ({ state: 'degraded', reason: 'stale' }));
    a.contexts[0]?.log.info('hello');
    expect(status()[0]?.detail).toEqual({ queue: 3 });
    expect((await health.report('ready')).checks.map(({ name }) => name)).toContain('a/cache');
    expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({ role: 'a', msg: 'hello' });
    a.fail('lost');
    await clock.advance(0);
    expect((await health.report('ready')).checks.map(({ name }) => name)).not.toContain('a/cache');
    await lifecycle.stop({ kind: 'request', by: 'test' });
  });

  it('refuses a name that no command could have', () => {
    expect(() => defineRole(played('Two Words', []).role)).toThrow('must have a kebab-case name');
  });

  it('refuses two roles of one name', async () => {
    const { run } = await world([played('a', []).role, played('a', []).role]);
    await expect(run()).rejects.toThrow('role a is listed twice');
  });
});
