import { posix } from 'node:path';
import type { FilesystemFacts } from '@quartermaster/api/node-hardware';
import type { Readings } from './readings.ts';

/**
 * The filesystems on which the given folders are or will be: a provisioner makes its folder with the first volume, so the nearest folder that exists
 * answers for it. Undefined when nothing was asked or the machine cannot be measured.
 */
export async function readFilesystems(readings: Readings, paths: readonly string[]): Promise<readonly FilesystemFacts[] | undefined> {
  if (paths.length === 0 || !readings.canMeasureFilesystems) return undefined;
  const found: FilesystemFacts[] = [];
  for (const path of [...new Set(paths)].toSorted()) {
    const size = path.startsWith('/') ? await nearest(readings, posix.normalize(path)) : undefined;
    if (size === undefined) readings.problem(`the filesystem of ${path} could not be measured`);
    else found.push({ path, ...size });
  }
  return found;
}

async function nearest(readings: Readings, path: string): Promise<Omit<FilesystemFacts, 'path'> | undefined> {
  for (let at = path; ; at = posix.dirname(at)) {
    const size = await readings.filesystem(at);
    if (size !== undefined || at === '/') return size;
  }
}
