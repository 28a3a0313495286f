import { readlink } from 'node:fs/promises';

/** What a link of the filesystem of this process points to; undefined for what is none. */
export async function linkTarget(file: string): Promise<string | undefined> {
  try {
    return await readlink(file);
  } catch {
    // Not a link, or not there: whoever opens the path is told.
    return undefined;
  }
}
