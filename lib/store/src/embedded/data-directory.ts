import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chown, mkdir, open, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { StatusError } from '@quartermaster/kernel';
import type { PostgresBinaries } from './postgres-binaries.ts';
import type { PostgresUser } from './postgres-user.ts';

export const userName = 'quartermaster';

/**
 * A folder for PostgreSQL as it is given to it: the number of an open file in the new process. A server that runs as another user than we do need not be able
 * to enter the folders above its data, which may be closed to everybody else.
 */
export const inheritedFolder = '/proc/self/fd/3';
const inheritedPasswordFile = '/proc/self/fd/4';

/** The password of the server, made once. Only we can read it. */
export async function serverPassword(directory: string): Promise<string> {
  const file = join(directory, 'password');
  const known = await readFile(file, 'utf8').catch(() => undefined);
  if (known !== undefined && known.trim() !== '') return known.trim();
  const password = randomBytes(24).toString('base64url');
  await writeFile(`${file}.new`, `${password}\n`, { mode: 0o600 });
  await rename(`${file}.new`, file);
  return password;
}

/** Makes an empty cluster unless there is one. What a death in the middle left is thrown away: a cluster gets its name when it is complete. */
export async function ensureCluster(
  directory: string,
  {
    binaries,
    user,
    password,
    isDurable,
  }: { binaries: PostgresBinaries; user: PostgresUser | undefined; password: string; isDurable: boolean },
): Promise<'made' | 'found'> {
  const data = join(directory, 'data');
  const version = await readFile(join(data, 'PG_VERSION'), 'utf8').catch(() => undefined);
  if (version !== undefined) {
    if (version.trim() === binaries.majorVersion) return 'found';
    throw new StatusError(
      'failed_precondition',
      `the database in ${directory} is of PostgreSQL ${version.trim()}, and this release has ${binaries.majorVersion}; dump it with the release that wrote it and load it into a new directory`,
    );
  }
  const draft = join(directory, 'data.new');
  const passwordFile = join(directory, 'password.initdb');
  await rm(draft, { recursive: true, force: true });
  await mkdir(draft, { mode: 0o700 });
  await writeFile(passwordFile, `${password}\n`, { mode: 0o600 });
  if (user !== undefined) await Promise.all([draft, passwordFile].map((path) => chown(path, user.uid, user.gid)));
  try {
    await initdb(binaries.initdb, { draft, passwordFile, user, isDurable });
  } finally {
    await rm(passwordFile, { force: true });
  }
  await rename(draft, data);
  return 'made';
}

async function initdb(
  program: string,
  { draft, passwordFile, user, isDurable }: { draft: string; passwordFile: string; user: PostgresUser | undefined; isDurable: boolean },
): Promise<void> {
  const folder = await open(draft);
  const passwords = await open(passwordFile);
  try {
    const child = spawn(
      program,
      [
        `--pgdata=${inheritedFolder}`,
        `--pwfile=${inheritedPasswordFile}`,
        `--username=${userName}`,
        '--auth=scram-sha-256',
        '--encoding=UTF8',
        // Texts in the order of their code points, on every machine.
        '--locale=C',
        '--locale-provider=builtin',
        '--builtin-locale=C.UTF-8',
        '--no-instructions',
        isDurable ? '--sync-method=syncfs' : '--no-sync',
      ],
      { cwd: '/', env: serverEnvironment(), stdio: ['ignore', 'ignore', 'pipe', folder.fd, passwords.fd], ...user },
    );
    const exited = new Promise<number | null>((resolve, reject) => {
      child.once('error', reject);
      child.once('close', resolve);
    });
    const [code, errors] = await Promise.all([exited, text(child.stderr ?? Readable.from([]))]);
    if (code !== 0) throw new StatusError('failed_precondition', `initdb failed in ${draft}: ${lastLine(errors)}`);
  } finally {
    await Promise.all([folder.close(), passwords.close()]);
  }
}

/** The locale decides the language of messages that are looked for; everything else of our environment is none of PostgreSQL's business. */
export function serverEnvironment(): NodeJS.ProcessEnv {
  const { PATH, LD_LIBRARY_PATH } = process.env;
  return { PATH, LC_ALL: 'C', TZ: 'UTC', LD_LIBRARY_PATH };
}

function lastLine(output: string): string {
  return output.trim().split('\n').at(-1) ?? '';
}
