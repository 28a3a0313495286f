import { execFile } from 'node:child_process';
import { readFile, stat } from 'node:fs/promises';
import { promisify } from 'node:util';
import { type Log, messageOf, StatusError } from '@quartermaster/kernel';

export interface PostgresUser {
  readonly uid: number;
  readonly gid: number;
}

/** The account of the machine that is only for this. */
const dedicated = 'quartermaster-postgres';

/**
 * PostgreSQL refuses to run as root. Then it runs as the owner of its data, or, while there are none, as an account that nothing else runs as: its processes can read
 * the data. That is one of our own, or `postgres` where the machine has it; where it has neither, ours is added. Data of `nobody`, who owned them where there was no
 * `postgres`, count as having no owner: they are for `handOver`.
 */
export async function postgresUser(dataDirectory: string, log: Log): Promise<PostgresUser | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const accounts = await readAccounts();
  const nobody = accounts.get('nobody');
  const owner = await stat(dataDirectory).catch(() => undefined);
  if (owner !== undefined && owner.uid !== 0 && owner.uid !== nobody?.uid) return { uid: owner.uid, gid: owner.gid };
  const known = accounts.get(dedicated) ?? accounts.get('postgres');
  if (known !== undefined) return known;
  const failure = await addAccount(log);
  // Another process may have added it meanwhile.
  const added = (await readAccounts()).get(dedicated);
  if (added !== undefined) return added;
  if (nobody === undefined) {
    throw new StatusError(
      'failed_precondition',
      `PostgreSQL does not run as root, and there is no account for it: ${failure}; add one (useradd --system ${dedicated}), run as another user, or configure a database URL`,
    );
  }
  log.warn(
    `the embedded PostgreSQL runs as nobody: every other process of that account can read the database; add an account for it (useradd --system ${dedicated}) and start again, or run as another user`,
    { error: failure },
  );
  return nobody;
}

async function readAccounts(): Promise<ReadonlyMap<string, PostgresUser>> {
  const lines = (await readFile('/etc/passwd', 'utf8')).split('\n').map((line) => line.split(':'));
  return new Map(lines.map(([name = '', , uid, gid]) => [name, { uid: Number(uid), gid: Number(gid) }]));
}

/** Adds our account as packages of distributions do theirs: nobody can log in to it. What it failed for, if it did. */
async function addAccount(log: Log): Promise<string | undefined> {
  const options = ['--system', '--user-group', '--no-create-home', '--home-dir=/nonexistent', '--shell=/usr/sbin/nologin'];
  try {
    const PATH = `${process.env['PATH'] ?? ''}:/usr/sbin:/sbin`;
    await promisify(execFile)('useradd', [...options, '--comment=Embedded PostgreSQL of Quartermaster', dedicated], { env: { PATH } });
  } catch (thrown) {
    return messageOf(thrown).trim();
  }
  log.warn('added a system account to this machine for the embedded PostgreSQL, which does not run as root', {
    account: dedicated,
    remove: `userdel ${dedicated}`,
  });
  return undefined;
}
