import { posix } from 'node:path';
import type { FilesystemFacts } from '@quartermaster/api/node-hardware';
import type { FilesystemSize } from '../machine/machine-reader.ts';
import type { Readings } from './readings.ts';
import { useStepBytes } from './steady-filesystems.ts';

/** Of volumes that are not counted. */
const maxNamed = 3;

/** What to measure. */
export interface MeasuredFolders {
  /** Of node-local storage classes. */
  readonly paths: readonly string[];
  /** The kubelet's, with pods' ephemeral storage: measured whatever else is, since volumes must not be promised the same space. */
  readonly kubeletPath?: string | undefined;
}

/**
 * The filesystems on which the given folders are or will be: a provisioner makes its folder with the first volume, so the nearest folder that exists
 * answers for it. One that cannot be measured now is as it was known, or left out. Undefined when nothing was asked or the machine cannot be measured.
 */
export async function readFilesystems(
  readings: Readings,
  { paths, kubeletPath }: MeasuredFolders,
  known: readonly FilesystemFacts[] = [],
): Promise<readonly FilesystemFacts[] | undefined> {
  const wanted = new Set([...paths, ...(kubeletPath === undefined ? [] : [kubeletPath])].map((path) => posix.normalize(path)));
  if (wanted.size === 0 || !readings.canMeasureFilesystems) return undefined;
  const found: FilesystemFacts[] = [];
  for (const path of [...wanted].toSorted()) {
    const nearest = path.startsWith('/') ? await nearestFolder(readings, path) : 'absent';
    if (nearest === 'absent') {
      readings.problem(`the filesystem of ${path} could not be measured`);
      continue;
    }
    if (nearest === 'failed') {
      found.push(...known.filter((facts) => facts.path === path));
      continue;
    }
    const isThere = nearest.at === path;
    if (path !== kubeletPath) {
      const before = known.find((facts) => facts.path === path && facts.device === nearest.size.device);
      found.push({ path, ...factsOf(nearest.size, isThere ? await bytesOfVolumes(readings, path, before) : 0) });
    }
    // A kubelet that keeps its folder elsewhere has none here, and then nobody may conclude where ephemeral storage is.
    else if (isThere) found.push({ path, ...factsOf(nearest.size, undefined), holdsEphemeral: true });
  }
  return found;
}

function factsOf(
  { sizeBytes, device, usedBytes }: FilesystemSize,
  folderBytes: number | undefined,
): Omit<FilesystemFacts, 'path' | 'holdsEphemeral'> {
  if (usedBytes === undefined) return { sizeBytes, device };
  const step = useStepBytes(sizeBytes);
  return {
    sizeBytes,
    device,
    usedBytes: Math.min(Math.ceil(usedBytes / step) * step, sizeBytes),
    folderBytes: folderBytes === undefined ? undefined : Math.floor(folderBytes / step) * step,
  };
}

/** What is told of a folder while there is no figure for it. */
export const uncountedYet = (path: string): string => `what lies in ${path} has not been counted yet`;

/**
 * Of what is not counted nobody knows that it is the volumes' own: less of the space is sold then, and whose files it is should be known. A count that takes long
 * must not make a known figure unknown.
 */
async function bytesOfVolumes(readings: Readings, path: string, known: FilesystemFacts | undefined): Promise<number | undefined> {
  const size = await readings.folderSize(path);
  if (size === 'pending') {
    if (known?.folderBytes === undefined) readings.problem(uncountedYet(path));
    return known?.folderBytes;
  }
  const { length } = size?.uncounted ?? [];
  if (length > 0) {
    const named = [...(size?.uncounted ?? []).slice(0, maxNamed), ...(length > maxNamed ? [`${length - maxNamed} more`] : [])];
    readings.problem(`volumes in ${path} are not counted, because they have too many files or cannot be read: ${named.join(', ')}`);
  }
  return size?.bytes;
}

async function nearestFolder(
  readings: Readings,
  path: string,
): Promise<{ readonly at: string; readonly size: FilesystemSize } | 'absent' | 'failed'> {
  for (let at = path; ; at = posix.dirname(at)) {
    const size = await readings.filesystem(at);
    // What is there and fails may be a disk of its own: the folder above would answer for another one.
    if (size === 'failed') return size;
    if (size !== 'absent') return { at, size };
    if (at === '/') return 'absent';
  }
}
