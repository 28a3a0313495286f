import { randomUUID } from 'node:crypto';
import { link, lstat, mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { ownershipProblem, StatusError } from '@quartermaster/kernel';

export interface SecretFileOptions {
  /**
   * A person named this very file. Then it may be what a Secret of Kubernetes is mounted as: a link, owned by root and readable by a group; others may neither read nor write it. Else it is a file that we
   * make ourselves, and one that we cannot have made is refused.
   */
  readonly isNamed?: boolean | undefined;
}

/**
 * The text of a file that only its owner may read; made when it is not there. Several processes may do so at once: the file appears whole or not at all, one
 * text wins, and all get it.
 */
export async function readOrMake(path: string, make: () => Promise<string> | string, options: SecretFileOptions = {}): Promise<string> {
  const known = await readSecret(path, options).catch((thrown: unknown) => {
    if (!hasCode(thrown, 'ENOENT')) throw thrown;
  });
  if (known !== undefined) return known;
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const draft = `${path}.${randomUUID()}`;
  try {
    await writeFile(draft, await make(), { mode: 0o600, flag: 'wx' });
    await link(draft, path).catch((thrown: unknown) => {
      if (!hasCode(thrown, 'EEXIST')) throw thrown;
    });
  } finally {
    await rm(draft, { force: true });
  }
  return await readSecret(path, options);
}

/** The text of a file that a person named, which is there. */
export async function readNamedSecret(path: string): Promise<string> {
  return await readSecret(path, { isNamed: true });
}

async function readSecret(path: string, { isNamed = false }: SecretFileOptions): Promise<string> {
  await (isNamed ? refuseOpen(path) : refuseForeign(path));
  return await readFile(path, 'utf8');
}

async function refuseOpen(path: string): Promise<void> {
  const { mode } = await stat(path);
  if ((mode & 0o007) === 0) return;
  const rule = `has mode ${(mode & 0o777).toString(8).padStart(3, '0')}, but must not be accessible by other users`;
  throw new StatusError('permission_denied', `${path} ${rule}: chmod o= it, or mount the Secret with defaultMode 0440 and an fsGroup`);
}

async function refuseForeign(path: string): Promise<void> {
  const found = await lstat(path);
  const problem = found.isFile()
    ? ownershipProblem(found, { me: process.geteuid?.(), forbidden: 0o077 })
    : 'must be a regular file, not a link';
  if (problem === undefined) return;
  throw new StatusError('permission_denied', `${path} ${problem}: use a directory of your own, or chmod 600 a file that you trust`);
}

function hasCode(thrown: unknown, code: string): boolean {
  return thrown instanceof Error && 'code' in thrown && thrown.code === code;
}
