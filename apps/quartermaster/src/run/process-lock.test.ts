import { linkSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { lockHolder, lockSteps, type ProcessLock, takeProcessLock } from './process-lock.ts';

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
    lock.release();
    expect(lockHolder(directory)).toBeUndefined();
  });

  it('can be taken again after it was released, under a number that nobody had before', () => {
    takeProcessLock(directory).release();
    takeProcessLock(directory).release();
    expect(lockHolder(directory)).toBeUndefined();
    expect(readdirSync(directory)).toEqual(['lock.2']);
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
    expect(readdirSync(directory)).toEqual(['lock.2']);
  });

  it('takes over a file that is not a lock of ours', () => {
    writeFileSync(join(directory, 'lock.7'), 'half a li');
    takeProcessLock(directory).release();
    expect(readdirSync(directory)).toEqual(['lock.8']);
  });

  it('is not taken in by a draft that an earlier process of the same pid left', () => {
    const draft = join(directory, `lock-draft.${process.pid}`);
    writeFileSync(draft, JSON.stringify({ pid: process.pid, started: 'before the last boot' }));
    linkSync(draft, join(directory, 'lock.1'));
    takeProcessLock(directory).release();
    expect(readdirSync(directory)).toEqual(['lock.2']);
  });
});

describe('starts that happen at the same time', () => {
  const dead = 99;

  /** Starts, each a step at a time, on a directory whose holder is gone. A start that has the lock gives it back with its next step. */
  function starts(count: number) {
    rmSync(directory, { recursive: true, force: true });
    mkdirSync(directory);
    writeFileSync(join(directory, 'lock.1'), JSON.stringify({ pid: dead, started: '1' }));
    const held = new Map<number, ProcessLock>(); // pid -> its lock
    const running = Array.from({ length: count }, (_, index) => ({
      pid: index + 1,
      steps: lockSteps(directory, { pid: index + 1, started: '1' }, ({ pid }) => pid !== dead),
    }));
    /** False once this start has ended. */
    const step = (index: number): boolean => {
      const start = running[index];
      if (start === undefined) return false;
      const lock = held.get(start.pid);
      if (lock !== undefined) {
        lock.release();
        held.delete(start.pid);
        return false;
      }
      try {
        const { done, value } = start.steps.next();
        if (done === true && value !== undefined) held.set(start.pid, value);
        return true;
      } catch (error) {
        expect(error).toMatchObject({ code: 'failed_precondition' });
        return false;
      }
    };
    return { held, step };
  }

  it('never have the lock both, wherever each of them is stopped while the other goes on', () => {
    const stops = Array.from({ length: 7 }, (_, index) => index);
    for (const [first, second] of stops.flatMap((a) => stops.map((b) => [a, b] as const))) {
      const { held, step } = starts(2);
      let most = 0;
      const advance = (index: number, steps: number): void => {
        for (let i = 0; i < steps && step(index); i += 1) most = Math.max(most, held.size);
      };
      advance(0, first);
      advance(1, second);
      advance(0, 20);
      advance(1, 20);
      expect(most, `the first stopped after ${first} steps, the second after ${second}`).toBe(1);
    }
  });

  it('do not get a number again that a start with an old look at the directory still goes for', () => {
    const { held, step } = starts(3);
    const [late, brief, last] = [0, 1, 2];
    // It has seen that the holder of lock.1 is gone, and is about to take lock.2.
    for (let i = 0; i < 2; i += 1) step(late);
    while (step(brief));
    while (!held.has(last + 1)) step(last);
    expect(readdirSync(directory).filter((name) => name.startsWith('lock.'))).toEqual(['lock.3']);
    while (step(late)) expect([...held.keys()]).toEqual([last + 1]);
  });

  it('never have the lock both when there are more of them', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(3), { minLength: 20, maxLength: 60 }), (order) => {
        const { held, step } = starts(4);
        for (const index of order) {
          step(index);
          expect(held.size).toBeLessThan(2);
        }
      }),
      { numRuns: 50 },
    );
  });
});

describe('lockHolder', () => {
  it('knows no holder of a directory that does not exist', () => {
    expect(lockHolder(join(directory, 'missing'))).toBeUndefined();
  });
});
