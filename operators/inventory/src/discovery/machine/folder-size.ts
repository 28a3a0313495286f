import { lstat, opendir } from 'node:fs/promises';
import { posix } from 'node:path';
import type { Clock } from '@quartermaster/kernel';

interface Measured {
  readonly at: number;
  readonly bytes: number | undefined;
}

export interface FolderSizeOptions {
  readonly clock: Clock;
  /** More files than this are not counted: looking at them would cost the machine more than the figure is worth. 100 000 unless given. */
  readonly maxEntries?: number | undefined;
  /** How long a figure counts; 10 min unless given. */
  readonly maxAgeMs?: number | undefined;
}

/** How much folders hold, each looked through once in a while and never twice at a time. */
export class FolderSizes {
  readonly #clock: Clock;
  readonly #maxEntries: number;
  readonly #maxAgeMs: number;
  readonly #measured = new Map<string, Measured>(); // folder -> what was found
  readonly #measuring = new Map<string, Promise<number | undefined>>(); // folder -> the look that is under way

  constructor({ clock, maxEntries = 100_000, maxAgeMs = 600_000 }: FolderSizeOptions) {
    this.#clock = clock;
    this.#maxEntries = maxEntries;
    this.#maxAgeMs = maxAgeMs;
  }

  /** Undefined when there are too many files to count, or not all of them can be seen. */
  async of(folder: string): Promise<number | undefined> {
    const known = this.#measured.get(folder);
    if (known !== undefined && this.#clock.monotonic() - known.at < this.#maxAgeMs) return known.bytes;
    const measuring = this.#measuring.get(folder) ?? this.#measure(folder);
    this.#measuring.set(folder, measuring);
    return await measuring;
  }

  async #measure(folder: string): Promise<number | undefined> {
    try {
      const bytes = await bytesBelow(folder, this.#maxEntries);
      this.#measured.set(folder, { at: this.#clock.monotonic(), bytes });
      return bytes;
    } finally {
      this.#measuring.delete(folder);
    }
  }
}

/** Blocks on the filesystem of the folder itself; what is mounted below is another one. A file with several names counts once. */
async function bytesBelow(top: string, maxEntries: number): Promise<number | undefined> {
  const { dev } = await lstat(top);
  const linked = new Set<number>();
  const folders = [top];
  let entries = 0;
  let bytes = 0;
  try {
    for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
      for await (const { name } of await opendir(folder)) {
        entries += 1;
        if (entries > maxEntries) return undefined;
        const found = await lstat(posix.join(folder, name)).catch(isGone);
        if (found === undefined || found.dev !== dev || linked.has(found.ino)) continue;
        if (found.nlink > 1 && !found.isDirectory()) linked.add(found.ino);
        bytes += found.blocks * 512;
        if (found.isDirectory()) folders.push(posix.join(folder, name));
      }
    }
    return bytes;
  } catch {
    return undefined;
  }
}

/** Files come and go while they are looked at. */
function isGone(error: unknown): undefined {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
  throw error;
}
