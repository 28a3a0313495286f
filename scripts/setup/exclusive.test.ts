import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { exclusively } from './exclusive.mjs';

describe('exclusively', () => {
  let directory: string;
  let lock: string;

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'exclusive-'));
    lock = join(directory, 'folder', 'work.lock');
  });

  afterEach(() => {
    rmSync(directory, { recursive: true, force: true });
  });

  const holdLock = async (owner: { pid: number; host: string }): Promise<void> => {
    await exclusively(lock, async () => {});
    writeFileSync(lock, JSON.stringify({ id: 'other', ...owner }));
  };

  it('lets one work at a time and tells the other whom it waits for', async () => {
    const events: string[] = [];
    let release = (): void => {};
    const first = exclusively(lock, async () => {
      events.push('first begins');
      await new Promise<void>((resolve) => {
        release = resolve;
      });
      events.push('first ends');
    });
    const second = exclusively(
      lock,
      async () => {
        events.push('second begins');
      },
      (pid) => {
        events.push(`second waits for ${pid === process.pid ? 'this process' : pid}`);
        release();
      },
    );
    await Promise.all([first, second]);
    expect(events).toEqual(['first begins', 'second waits for this process', 'first ends', 'second begins']);
    expect(existsSync(lock)).toBe(false);
  });

  it('gives back the result, and the lock also when the work fails', async () => {
    expect(await exclusively(lock, async () => 42)).toBe(42);
    await expect(exclusively(lock, () => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
    expect(existsSync(lock)).toBe(false);
  });

  it('takes over from a process that has died', async () => {
    const { pid } = spawnSync(process.execPath, ['--version']);
    await holdLock({ pid, host: hostname() });
    expect(await exclusively(lock, async () => 'done')).toBe('done');
  });

  it('takes over from an owner that has been silent for long, whoever has its pid now', async () => {
    await holdLock({ pid: process.pid, host: hostname() });
    const longAgo = new Date(Date.now() - 3_600_000);
    utimesSync(lock, longAgo, longAgo);
    expect(await exclusively(lock, async () => 'done')).toBe('done');
  });

  it('waits for an owner on another machine, whose pid says nothing here', async () => {
    const { pid } = spawnSync(process.execPath, ['--version']);
    await holdLock({ pid, host: 'another-machine' });
    const waitedFor: number[] = [];
    await exclusively(
      lock,
      async () => {},
      (owner) => {
        waitedFor.push(owner);
        rmSync(lock);
      },
    );
    expect(waitedFor).toEqual([pid]);
  });
});
