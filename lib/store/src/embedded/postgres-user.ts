import { readFile, stat } from 'node:fs/promises';
import { StatusError } from '@quartermaster/kernel';

/** Whom PostgreSQL runs as. Undefined: whoever runs this process. */
export interface PostgresUser {
  readonly uid: number;
  readonly gid: number;
}

/**
 * PostgreSQL refuses to run as root. Then it runs as the owner of its data, or, while there are none, as the user `postgres` or else `nobody`: both
 * exist without our adding users to somebody's machine.
 */
export async function postgresUser(dataDirectory: string): Promise<PostgresUser | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const owner = await stat(dataDirectory).catch(() => undefined);
  if (owner !== undefined && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid };
  const passwd = await readFile('/etc/passwd', 'utf8');
  for (const name of ['postgres', 'nobody']) {
    const fields = passwd
      .split('\n')
      .map((line) => line.split(':'))
      .find(([user]) => user === name);
    if (fields !== undefined) return { uid: Number(fields[2]), gid: Number(fields[3]) };
  }
  throw new StatusError(
    'failed_precondition',
    'PostgreSQL does not run as root, and /etc/passwd has neither the user postgres nor nobody; add one (useradd --system postgres), run as another user, or configure a database URL',
  );
}
