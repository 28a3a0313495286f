import { lchown, lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Log } from '@quartermaster/kernel';
import type { PostgresUser } from './postgres-user.ts';

/** Its owner tells whose the data are: it is the last file that changes hands, so that what a death interrupted is gone on with. */
const lastFile = 'PG_VERSION';

/**
 * Makes the user the owner of data that were another's. No server may run on them. Each folder changes hands before it is read, so that processes of the former owner
 * cannot put anything else in the place of what is in it; what a third owns, such as the target of a link, stays as it is.
 */
export async function handOver(data: string, user: PostgresUser, log: Log): Promise<void> {
  const { uid: from } = await lstat(join(data, lastFile));
  if (from === user.uid) return;
  const take = async (path: string): Promise<void> => {
    const entry = await lstat(path);
    if (entry.uid !== from && entry.uid !== user.uid) return;
    await lchown(path, user.uid, user.gid);
    if (!entry.isDirectory()) return;
    for (const name of await readdir(path)) if (path !== data || name !== lastFile) await take(join(path, name));
  };
  await take(data);
  await lchown(join(data, lastFile), user.uid, user.gid);
  log.info('gave the files of the embedded PostgreSQL to the account that it runs as', { data, from, to: user.uid });
}
