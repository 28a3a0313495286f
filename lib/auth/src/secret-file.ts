import { randomUUID } from 'node:crypto';
import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * The text of a file that only its owner may read; made when it is not there. Several processes may do so at once: the file appears whole or not at all, one
 * text wins, and all get it.
 */
export async function readOrMake(path: string, make: () => Promise<string> | string): Promise<string> {
  const known = await readIfThere(path);
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
  return await readFile(path, 'utf8');
}

async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (thrown) {
    if (hasCode(thrown, 'ENOENT')) return undefined;
    throw thrown;
  }
}

function hasCode(thrown: unknown, code: string): boolean {
  return thrown instanceof Error && 'code' in thrown && thrown.code === code;
}
