import type { FilesystemFacts } from '@quartermaster/api/node-hardware';

const gib = 2 ** 30;

/** The use of a filesystem is told in steps of a hundredth of it, and of no less than 1 GiB. */
export function useStepBytes(sizeBytes: number): number {
  return Math.max(Math.ceil(sizeBytes / 100 / gib), 1) * gib;
}

/**
 * The newer facts, with the use that was last told while what is used now is still near it: otherwise a log that is rotated would have the agent write
 * every time. More is told at once; less, when it is two steps less. Facts that could not be read this time are the older ones.
 */
export function steadyFilesystems(
  older: readonly FilesystemFacts[] | undefined,
  newer: readonly FilesystemFacts[] | undefined,
): readonly FilesystemFacts[] | undefined {
  if (newer === undefined || older === undefined) return newer ?? older;
  return newer.map((facts) => {
    const before = older.find(
      ({ path, device, sizeBytes }) => path === facts.path && device === facts.device && sizeBytes === facts.sizeBytes,
    );
    const [told, now] = [before?.usedBytes, facts.usedBytes];
    if (before === undefined || told === undefined || now === undefined) return facts;
    const isNear = now <= told && now > told - 2 * useStepBytes(facts.sizeBytes);
    return isNear && isNearFolder(before, facts) ? { ...facts, usedBytes: told, folderBytes: before.folderBytes } : facts;
  });
}

/** Too little told of a folder errs on the safe side, as too much told of the filesystem does. */
function isNearFolder({ folderBytes: told }: FilesystemFacts, { folderBytes: now, sizeBytes }: FilesystemFacts): boolean {
  if (told === undefined || now === undefined) return told === now;
  return now >= told && now < told + 2 * useStepBytes(sizeBytes);
}
