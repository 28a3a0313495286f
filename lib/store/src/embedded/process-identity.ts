import { readFileSync, readlinkSync } from 'node:fs';

/** A process, told apart from a later one that got the same number. */
export interface ProcessIdentity {
  readonly pid: number;
  /** When it started, in ticks since the machine did. */
  readonly startedAt: string;
  readonly bootId: string;
}

/** Undefined when there is no such process. */
export function processIdentity(pid: number): ProcessIdentity | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The second field is the program's name in brackets and may hold blanks; the start is the 22nd.
    const [state, ...rest] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (state === 'Z' || state === 'X') return undefined;
    return { pid, startedAt: rest[18] ?? '', bootId: readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim() };
  } catch {
    return undefined;
  }
}

export function isRunning(identity: ProcessIdentity): boolean {
  const now = processIdentity(identity.pid);
  return now !== undefined && now.startedAt === identity.startedAt && now.bootId === identity.bootId;
}

/** The folder that a process works in: for PostgreSQL that of its data, whatever path it was started with. */
export function workingDirectory(pid: number): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return undefined;
  }
}
