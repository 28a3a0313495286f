/**
 * A lock on a directory that ends with the process that holds it, however it ends.
 *
 * A lock is a numbered file, `lock.1`, `lock.2`, …, that appears complete with its owner in one step. A file whose owner is gone is
 * left behind by taking the next number, which only one of several can create; two that took different numbers both look around
 * afterwards, and the lower one keeps the directory.
 */
import { linkSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { StatusError } from '@quartermaster/kernel';
import { z } from 'zod';
import { hasCode } from './file-problem.ts';

export interface ProcessLock {
  /** Idempotent. */
  release(): void;
}

const ownerSchema = z.object({ pid: z.int().positive(), started: z.string() });
type Owner = z.infer<typeof ownerSchema>;

const lockName = /^lock\.(\d+)$/;

/** Throws `failed_precondition` that names the process when another one holds the directory. */
export function takeProcessLock(directory: string): ProcessLock {
  const me: Owner = { pid: process.pid, started: startOf(process.pid) };
  const draft = join(directory, `lock-draft.${process.pid}`);
  writeFileSync(draft, JSON.stringify(me), { mode: 0o600 });
  try {
    for (;;) {
      const numbers = lockNumbers(directory);
      refuseWhenHeld(directory, numbers);
      const mine = (numbers.at(-1) ?? 0) + 1;
      if (!tryLink(draft, fileOf(directory, mine))) continue;
      const release = (): void => rmSync(fileOf(directory, mine), { force: true });
      try {
        refuseWhenHeld(
          directory,
          lockNumbers(directory).filter((number) => number < mine),
        );
      } catch (error) {
        release();
        throw error;
      }
      for (const number of numbers) rmSync(fileOf(directory, number), { force: true });
      return { release };
    }
  } finally {
    rmSync(draft, { force: true });
  }
}

/** The pid of the process that holds the directory, if one does. */
export function lockHolder(directory: string): number | undefined {
  return lockNumbers(directory)
    .map((number) => liveOwner(fileOf(directory, number)))
    .find((owner) => owner !== undefined)?.pid;
}

function refuseWhenHeld(directory: string, numbers: readonly number[]): void {
  for (const number of numbers) {
    const owner = liveOwner(fileOf(directory, number));
    if (owner === undefined) continue;
    throw new StatusError(
      'failed_precondition',
      `${directory} is in use by another \`quartermaster up\` (process ${owner.pid}): stop that one, or give this one a directory of its own with --data-dir DIR`,
    );
  }
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

/** The owner, as long as its process runs. */
function liveOwner(file: string): Owner | undefined {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw error;
  }
  const parsed = ownerSchema.safeParse(parseJson(text));
  if (!parsed.success) return undefined;
  return isAlive(parsed.data) ? parsed.data : undefined;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isAlive({ pid, started }: Owner): boolean {
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
