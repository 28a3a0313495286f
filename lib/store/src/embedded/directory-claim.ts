/**
 * A folder that one process at a time runs a server in. A claim is an empty file whose name tells its owner, so that it appears whole, and no two claims are the same
 * file. Whoever claims looks around after that: of two that did so at the same time at least one sees the other, and steps back. Others remove only claims of
 * processes that are gone.
 */
import { randomUUID } from 'node:crypto';
import { readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Clock, StatusError, sleep, systemRandom } from '@quartermaster/kernel';
import { isRunning, type ProcessIdentity, processIdentity } from './process-identity.ts';

/** Those that step back for each other try again, each after another while. */
const attempts = 4;
const maxPauseMs = 100;

const claimName = /^owner-(?<pid>\d+)-(?<startedAt>\d+)-(?<bootId>[\da-f-]{36})-[\da-f-]{36}$/;

/** Makes this process the owner of the folder, until it releases it or dies. Throws `failed_precondition` while another one is. */
export async function claimDirectory(directory: string, clock: Clock): Promise<() => Promise<void>> {
  const self = processIdentity(process.pid);
  if (self === undefined)
    throw new StatusError('failed_precondition', 'the embedded PostgreSQL requires /proc, as on Linux; configure a database URL instead');
  for (let attempt = 1; ; attempt += 1) {
    const name = `owner-${self.pid}-${self.startedAt}-${self.bootId}-${randomUUID()}`;
    const file = join(directory, name);
    await writeFile(file, '', { flag: 'wx', mode: 0o600 });
    const other = await otherOwner(directory, name);
    if (other === undefined) return () => rm(file, { force: true });
    await rm(file, { force: true });
    if (attempt === attempts) {
      throw new StatusError(
        'failed_precondition',
        `the database in ${directory} is used by process ${other.pid}; stop it, or choose another data directory`,
      );
    }
    await sleep(clock, systemRandom.next() * maxPauseMs);
  }
}

async function otherOwner(directory: string, own: string): Promise<ProcessIdentity | undefined> {
  for (const name of await readdir(directory)) {
    const owner = name === own ? undefined : ownerOf(name);
    if (owner === undefined) continue;
    if (isRunning(owner)) return owner;
    await rm(join(directory, name), { force: true });
  }
  return undefined;
}

function ownerOf(name: string): ProcessIdentity | undefined {
  const { pid, startedAt, bootId } = claimName.exec(name)?.groups ?? {};
  return pid === undefined || startedAt === undefined || bootId === undefined ? undefined : { pid: Number(pid), startedAt, bootId };
}
