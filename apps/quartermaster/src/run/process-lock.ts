/**
 * A lock on a directory that ends with the process that holds it, however it ends.
 *
 * A lock is a numbered file, `lock.1`, `lock.2`, …, that appears complete with its owner in one step. The file with the highest number
 * decides: its owner holds the directory as long as its process runs. Who finds that owner gone links the next number, which only one of
 * several can do. Numbers only grow: a release empties the file and leaves it, and a file is deleted only once a higher one exists. So
 * whoever acts on an old look at the directory either cannot link its number or finds a higher one afterwards, and looks again.
 */
import { linkSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { StatusError } from '@quartermaster/kernel';
import { z } from 'zod';
import { hasCode } from '../files/file-problem.ts';

export interface ProcessLock {
  /** Idempotent. */
  release(): void;
}

const ownerSchema = z.object({ pid: z.int().positive(), started: z.string() });
export type LockOwner = z.infer<typeof ownerSchema>;

const lockName = /^lock\.(\d+)$/;

/** Throws `failed_precondition` that names the process when another one holds the directory. */
export function takeProcessLock(directory: string): ProcessLock {
  const steps = lockSteps(directory, { pid: process.pid, started: startOf(process.pid) }, isAlive);
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/** `takeProcessLock`, one step at a time: whatever other processes do between two steps, at most one of them gets the lock. */
export function* lockSteps(directory: string, me: LockOwner, lives: (owner: LockOwner) => boolean): Generator<void, ProcessLock, void> {
  const draft = join(directory, `lock-draft.${me.pid}`);
  // One that is left of an earlier process with this pid may be the same file as its lock.
  rmSync(draft, { force: true });
  writeFileSync(draft, JSON.stringify(me), { mode: 0o600 });
  try {
    for (;;) {
      const highest = lockNumbers(directory).at(-1) ?? 0;
      yield;
      const owner = ownerOf(fileOf(directory, highest));
      if (owner !== undefined && lives(owner)) throw heldBy(owner, directory);
      yield;
      const mine = fileOf(directory, highest + 1);
      if (!tryLink(draft, mine)) continue;
      yield;
      const numbers = lockNumbers(directory);
      yield;
      if (numbers.some((number) => number > highest + 1)) {
        rmSync(mine, { force: true });
        continue;
      }
      for (const number of numbers.filter((each) => each <= highest)) rmSync(fileOf(directory, number), { force: true });
      return { release: () => emptyFile(mine) };
    }
  } finally {
    rmSync(draft, { force: true });
  }
}

/** The pid of the process that holds the directory, if one does. */
export function lockHolder(directory: string): number | undefined {
  const owner = ownerOf(fileOf(directory, lockNumbers(directory).at(-1) ?? 0));
  return owner !== undefined && isAlive(owner) ? owner.pid : undefined;
}

function heldBy({ pid }: LockOwner, directory: string): StatusError {
  return new StatusError(
    'failed_precondition',
    `${directory} is in use by another \`quartermaster up\` (process ${pid}): stop that one, or give this one a directory of its own with --data-dir DIR`,
  );
}

const fileOf = (directory: string, number: number): string => join(directory, `lock.${number}`);

/** Ascending. Empty when there is no such directory. */
function lockNumbers(directory: string): number[] {
  try {
    return readdirSync(directory)
      .flatMap((name) => lockName.exec(name)?.[1] ?? [])
      .map(Number)
      .toSorted((a, b) => a - b);
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return [];
    throw error;
  }
}

function tryLink(draft: string, file: string): boolean {
  try {
    linkSync(draft, file);
    return true;
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false;
    throw error;
  }
}

/** Leaves the number taken. A file that is gone by now stays gone. */
function emptyFile(file: string): void {
  try {
    truncateSync(file);
  } catch (error) {
    if (!hasCode(error, 'ENOENT')) throw error;
  }
}

/** Who took the lock of this file; undefined when nobody holds it any more. */
function ownerOf(file: string): LockOwner | undefined {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw error;
  }
  return ownerSchema.safeParse(parseJson(text)).data;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isAlive({ pid, started }: LockOwner): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    // A process of another user may not be signalled, but it is there.
    if (!hasCode(error, 'EPERM')) return false;
  }
  const now = startOf(pid);
  return now === '' || started === '' || now === started;
}

/** When a process was started, in the kernel's ticks: it tells a process from a later one with the same pid. Empty where unknown. */
function startOf(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The command's name, in parentheses, may hold anything: fields are counted from its end.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '';
  } catch {
    return '';
  }
}
