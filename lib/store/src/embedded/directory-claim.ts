import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { StatusError } from '@quartermaster/kernel';
import { isRunning, type ProcessIdentity, processIdentity } from './process-identity.ts';

/**
 * Makes this process the only one that runs a server in the folder, until it releases it or dies. Throws `failed_precondition` while another
 * one does.
 */
export async function claimDirectory(directory: string): Promise<() => Promise<void>> {
  const file = join(directory, 'owner.json');
  const self = processIdentity(process.pid);
  if (self === undefined)
    throw new StatusError('failed_precondition', 'the embedded PostgreSQL needs /proc, which Linux has; configure a database URL instead');
  await takeFile(file, self, directory);
  return () => rm(file, { force: true });
}

async function takeFile(file: string, self: ProcessIdentity, directory: string): Promise<void> {
  const text = JSON.stringify(self);
  for (let attempt = 0; attempt < 3; attempt += 1) {
    try {
      await writeFile(file, text, { flag: 'wx', mode: 0o600 });
      return;
    } catch (thrown) {
      if (!(thrown instanceof Error && 'code' in thrown && thrown.code === 'EEXIST')) throw thrown;
    }
    const owner = await readOwner(file);
    if (owner !== undefined && isRunning(owner)) throw inUse(directory, owner.pid);
    await rm(file, { force: true });
  }
  throw inUse(directory, undefined);
}

async function readOwner(file: string): Promise<ProcessIdentity | undefined> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as ProcessIdentity;
  } catch {
    return undefined;
  }
}

function inUse(directory: string, pid: number | undefined): StatusError {
  const who = pid === undefined ? 'another process' : `process ${pid}`;
  return new StatusError(
    'failed_precondition',
    `the database in ${directory} is used by ${who}; stop it, or choose another data directory`,
  );
}
