import { readdirSync, readlinkSync, realpathSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { type Clock, type Log, StatusError, sleep } from '@quartermaster/kernel';
import { workingDirectory } from './process-identity.ts';

/** How long PostgreSQL gets for each way of asking it to end. */
const patienceMs = 10_000;
const lookIntervalMs = 20;

/**
 * Ends what a process that died left running on these data: a server (orderly, as it is whole) or the remains of one that was killed. Nobody uses
 * it any more, since the folder is ours. Also removes the server's lock file when its process number has gone to another program meanwhile, at
 * which PostgreSQL would refuse to start.
 */
export async function endOrphans(data: string, { clock, log }: { readonly clock: Clock; readonly log: Log }): Promise<void> {
  const lockFile = join(data, 'postmaster.pid');
  const server = Number((await readFile(lockFile, 'utf8').catch(() => '')).split('\n')[0]);
  const remaining = processesIn(data);
  if (remaining.includes(server)) {
    log.info('stopping the database server of a process that exited', { pid: server });
    if (!(await endServer(server, data, clock)))
      throw new StatusError('unavailable', `the database server with process id ${server} does not stop; stop it by hand`);
  }
  // Without their server the others end by themselves.
  if (!(await isGone(() => processesIn(data).length === 0, clock))) {
    for (const pid of processesIn(data)) signal(pid, 'SIGKILL');
    await isGone(() => processesIn(data).length === 0, clock);
  }
  if (server > 0) await rm(lockFile, { force: true });
}

async function endServer(pid: number, data: string, clock: Clock): Promise<boolean> {
  for (const name of ['SIGINT', 'SIGQUIT', 'SIGKILL'] as const) {
    signal(pid, name);
    if (await isGone(() => !processesIn(data).includes(pid), clock)) return true;
  }
  return false;
}

async function isGone(isTrue: () => boolean, clock: Clock): Promise<boolean> {
  const deadline = clock.monotonic() + patienceMs;
  while (!isTrue()) {
    if (clock.monotonic() > deadline) return false;
    await sleep(clock, lookIntervalMs);
  }
  return true;
}

/** PostgreSQL's processes on these data: all of them work in that folder. */
function processesIn(data: string): readonly number[] {
  const folder = realpathSync(data);
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => workingDirectory(pid) === folder && isPostgres(pid));
}

function isPostgres(pid: number): boolean {
  try {
    return basename(readlinkSync(`/proc/${pid}/exe`)).replace(' (deleted)', '') === 'postgres';
  } catch {
    return false;
  }
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // It ended meanwhile.
  }
}
