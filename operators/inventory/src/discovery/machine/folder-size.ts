import { lstat, opendir } from 'node:fs/promises';
import { posix } from 'node:path';
import type { Clock } from '@quartermaster/kernel';
import type { FolderSize } from './machine-reader.ts';

interface Measured {
  readonly at: number;
  readonly size: FolderSize | undefined;
}

export interface FolderSizeOptions {
  readonly clock: Clock;
  /** More files than this in one volume, or ten times as many in all, are not counted: looking at them would cost the machine more than the figure is worth. 100 000 unless given. */
  readonly maxEntries?: number | undefined;
  /** How old a figure is when it is looked for anew; 10 min unless given. It is told for twice as long while that look takes. */
  readonly maxAgeMs?: number | undefined;
}

/** How many times as much may be in all volumes as in one. */
const maxEntriesFactor = 10;

/** How much folders of volumes hold, each looked through once in a while and never twice at a time. */
export class FolderSizes {
  readonly #clock: Clock;
  readonly #maxEntries: number;
  readonly #maxAgeMs: number;
  readonly #measured = new Map<string, Measured>(); // folder -> what was found
  #ends = 0;
  readonly #measuring = new Map<string, Promise<FolderSize | undefined>>(); // folder -> the look that is under way

  constructor({ clock, maxEntries = 100_000, maxAgeMs = 600_000 }: FolderSizeOptions) {
    this.#clock = clock;
    this.#maxEntries = maxEntries;
    this.#maxAgeMs = maxAgeMs;
  }

  /** Undefined when there are too many volumes to count, or not all of them can be seen. */
  async of(folder: string): Promise<FolderSize | undefined> {
    const known = this.#measured.get(folder);
    const ageMs = known === undefined ? Number.POSITIVE_INFINITY : this.#clock.monotonic() - known.at;
    if (ageMs < this.#maxAgeMs) return known?.size;
    const measuring = this.#measuring.get(folder) ?? this.#measure(folder);
    this.#measuring.set(folder, measuring);
    if (ageMs >= 2 * this.#maxAgeMs) return await measuring;
    // A look that takes long must not make a known figure unknown each time.
    measuring.catch(() => {});
    return known?.size;
  }

  /** Breaks off what is being looked through. */
  end(): void {
    this.#ends += 1;
  }

  async #measure(folder: string): Promise<FolderSize | undefined> {
    const before = this.#ends;
    try {
      const size = await sizeOf(folder, this.#maxEntries, () => this.#ends > before);
      this.#measured.set(folder, { at: this.#clock.monotonic(), size });
      return size;
    } catch (error) {
      this.#measured.delete(folder);
      throw error;
    } finally {
      this.#measuring.delete(folder);
    }
  }
}

/** A volume is a folder, or a file, in the one that is given. One with too many files, or with files that cannot be seen, must not hide what the others hold. */
async function sizeOf(top: string, maxEntries: number, isEnded: () => boolean): Promise<FolderSize | undefined> {
  const { dev } = await lstat(top);
  const linked = new Set<number>();
  const uncounted: string[] = [];
  let left = maxEntriesFactor * maxEntries;
  const mayGoOn = (): boolean => {
    left -= 1;
    return left >= 0 && !isEnded();
  };
  let volumes = 0;
  let bytes = 0;
  try {
    for await (const { name } of await opendir(top)) {
      volumes += 1;
      if (volumes > maxEntries || isEnded()) return undefined;
      const counted = await bytesOf(posix.join(top, name), { dev, linked, maxEntries, mayGoOn }).catch(() => undefined);
      if (counted === undefined) uncounted.push(name);
      else bytes += counted;
    }
    return { bytes, uncounted: uncounted.toSorted() };
  } catch {
    return undefined;
  }
}

interface Count {
  /** Asked for each file: whether there is room for it among those of all volumes. */
  readonly mayGoOn: () => boolean;
  readonly dev: number;
  /** Files with several names that were counted by one of them. */
  readonly linked: Set<number>;
  readonly maxEntries: number;
}

/** Blocks on the filesystem of the folder of volumes; what is mounted below is another one. Undefined when there are too many files. */
async function bytesOf(volume: string, { dev, linked, maxEntries, mayGoOn }: Count): Promise<number | undefined> {
  const paths = [volume];
  let bytes = 0;
  let entries = 0;
  for (let path = paths.pop(); path !== undefined; path = paths.pop()) {
    const found = await lstat(path).catch(isGone);
    if (found === undefined || found.dev !== dev || linked.has(found.ino)) continue;
    if (found.nlink > 1 && !found.isDirectory()) linked.add(found.ino);
    bytes += found.blocks * 512;
    const folder = found.isDirectory() ? await opendir(path).catch(isGone) : undefined;
    for await (const { name } of folder ?? []) {
      entries += 1;
      if (entries > maxEntries || !mayGoOn()) return undefined;
      paths.push(posix.join(path, name));
    }
  }
  return bytes;
}

/** Files come and go while they are looked at. */
function isGone(error: unknown): undefined {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
  throw error;
}
