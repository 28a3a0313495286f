import { FakeClock, type Log, silentLog } from '@quartermaster/kernel';
import { beforeEach, describe, expect, it } from 'vitest';
import * as z from 'zod';
import type { WatchedFiles } from '../files/file-watch.ts';
import { defineConfig } from './define-config.ts';
import { duration, secret } from './setting-types.ts';
import { type ConfigChange, watchConfig } from './watch-config.ts';

const definition = defineConfig(
  {
    period: duration().prefault('5s').meta({ description: 'How often.', reloadable: true }),
    limit: z.int().default(10).meta({ description: 'At most.', reloadable: true }),
    port: z.int().default(1).describe('Where.'),
    auth: z.object({
      token: secret().optional().meta({ description: 'Who.', reloadable: true }),
      mode: z.string().default('none').describe('How.'),
    }),
  },
  {
    rules: [(config) => (config.limit > 100 && config.port === 1 ? { key: 'limit', message: 'must be at most 100 on port 1' } : undefined)],
  },
);

describe('watchConfig', () => {
  let clock = new FakeClock();
  let text: string | undefined;
  let lines: string[] = [];
  const files: WatchedFiles = {
    readText: () => (text === undefined ? Promise.reject(new Error('ENOENT')) : Promise.resolve(text)),
    watchFolder: () => () => {},
  };
  const log: Log = { ...silentLog, warn: (message) => lines.push(message), error: (message) => lines.push(message) };
  const open = () => watchConfig(definition, { file: 'q.yaml', clock, files, log, environment: { QUARTERMASTER_AUTH_MODE: 'env' } });
  const write = async (next: string | undefined): Promise<void> => {
    text = next;
    await clock.advance(10_000);
  };

  beforeEach(() => {
    clock = new FakeClock();
    text = 'period: 1s\n';
    lines = [];
  });

  it('applies changed reloadable keys and tells which', async () => {
    const config = await open();
    const changes: ConfigChange<unknown>[] = [];
    config.subscribe((change) => changes.push(change));
    await write('period: 2s\nlimit: 20\n');
    expect(config.current).toMatchObject({ period: 2000, limit: 20, port: 1, auth: { mode: 'env' } });
    expect(changes).toEqual([{ values: config.current, changed: ['period', 'limit'] }]);
    expect(config.status().state).toBe('current');
    await config.close();
  });

  it('keeps other keys as they are and says that they need a restart, until the file has them back', async () => {
    const config = await open();
    await write('period: 3s\nport: 2\n');
    expect(config.current).toMatchObject({ period: 3000, port: 1 });
    expect(config.status()).toMatchObject({ state: 'restart-needed', needsRestart: ['port'] });
    expect(lines).toEqual(['configuration keys changed that need a restart']);
    await write('period: 3s\n');
    expect(config.status()).toMatchObject({ state: 'current', needsRestart: [] });
    await config.close();
  });

  it.each([
    ['breaks a rule', 'period: soon\n', 'period (q.yaml:1:9)'],
    ['is no YAML', 'period: [\n', 'q.yaml'],
    ['has gone', undefined, 'cannot be read'],
  ])('keeps the last good values when the file %s, says so, and recovers', async (_name, broken, problem) => {
    const config = await open();
    await write(broken);
    expect(config.current.period).toBe(1000);
    expect(config.status().state).toBe('broken');
    expect(config.status().problem).toContain(problem);
    expect(lines).toEqual(['configuration file is ignored, the last valid one stays in effect']);
    await write('period: 7s\n');
    expect(config.current.period).toBe(7000);
    expect(config.status().state).toBe('current');
    await config.close();
  });

  it('refuses values that keep the rules only together with keys that wait for a restart', async () => {
    const config = await open();
    await write('limit: 500\nport: 2\n');
    expect(config.current).toMatchObject({ limit: 10, port: 1 });
    expect(config.status().problem).toContain('restart to apply them: limit: must be at most 100 on port 1');
    await config.close();
  });

  it('notices a changed secret without showing it', async () => {
    text = 'auth: { token: SWORDFISH }\n';
    const config = await open();
    const changed: string[] = [];
    config.subscribe((change) => changed.push(...change.changed));
    await write('auth: { token: SWORDFISHQX }\n');
    expect(changed).toEqual(['auth.token']);
    expect(config.current.auth.token?.reveal()).toBe('SWORDFISHQX');
    expect(JSON.stringify(config.current)).not.toContain('SWORDFISH');
    await config.close();
  });

  it('tells the other listeners when one throws', async () => {
    const config = await open();
    const told: number[] = [];
    config.subscribe(() => {
      throw new Error('no');
    });
    config.subscribe(({ values }) => told.push(values.limit));
    await write('limit: 11\n');
    expect(told).toEqual([11]);
    expect(lines).toEqual(['listener to configuration failed']);
    await config.close();
  });

  it('refuses to begin with a broken file and leaves nothing running', async () => {
    text = 'limit: many\n';
    await expect(open()).rejects.toThrow('limit (q.yaml:1:8): must be a number');
    expect(clock.pendingTimers).toBe(0);
  });

  it('works without a file', async () => {
    const config = await watchConfig(definition, { args: ['--port', '5'], clock });
    expect(config.current.port).toBe(5);
    await config.reload();
    await config.close();
    expect(clock.pendingTimers).toBe(0);
  });
});
