import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { lockHolder, takeProcessLock } from './process-lock.ts';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'lock-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

describe('takeProcessLock', () => {
  it('refuses a directory that a running process holds, and names the process', () => {
    const lock = takeProcessLock(directory);
    expect(() => takeProcessLock(directory)).toThrow(`in use by another \`quartermaster up\` (process ${process.pid})`);
    lock.release();
    expect(readdirSync(directory)).toEqual([]);
  });

  it('can be taken again after it was released', () => {
    takeProcessLock(directory).release();
    takeProcessLock(directory).release();
    expect(lockHolder(directory)).toBeUndefined();
  });

  it('takes over from a process that is gone', () => {
    // Pids end far below this on every system that we run on.
    writeFileSync(join(directory, 'lock.1'), JSON.stringify({ pid: 2 ** 30, started: '1' }));
    const lock = takeProcessLock(directory);
    expect(lockHolder(directory)).toBe(process.pid);
    expect(readdirSync(directory)).toEqual(['lock.2']);
    lock.release();
  });

  it('takes over from a process whose pid another process has by now', () => {
    writeFileSync(join(directory, 'lock.1'), JSON.stringify({ pid: process.pid, started: 'before the last boot' }));
    takeProcessLock(directory).release();
    expect(readdirSync(directory)).toEqual([]);
  });

  it('takes over a file that is not a lock of ours', () => {
    writeFileSync(join(directory, 'lock.7'), 'half a li');
    takeProcessLock(directory).release();
    expect(readdirSync(directory)).toEqual([]);
  });
});

describe('lockHolder', () => {
  it('knows no holder of a directory that does not exist', () => {
    expect(lockHolder(join(directory, 'missing'))).toBeUndefined();
  });
});
