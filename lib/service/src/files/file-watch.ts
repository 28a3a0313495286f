import { type FSWatcher, watch } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type Clock, messageOf, systemClock } from '@quartermaster/kernel';

/** What is read of the file system, so that tests can play it. */
export interface WatchedFiles {
  readText(path: string): Promise<string>;
  /** Calls back when something in the folder may have changed. May miss changes: files are also looked at regularly. */
  watchFolder(folder: string, onChange: () => void): () => void;
}

export interface FileWatchOptions {
  readonly paths: readonly string[];
  readonly clock?: Clock | undefined;
  readonly files?: WatchedFiles | undefined;
  /** Files are looked at this often even without an event: network file systems send none. Default 10 s. */
  readonly pollIntervalMs?: number | undefined;
  /** After an event, files are read when there was none for so long, so that a half-written one is rarely seen. Default 200 ms. */
  readonly settleMs?: number | undefined;
  /** Told when the contents of any file differ from the last time. A file that cannot be read counts as a change, once. Must not throw. */
  onChange(snapshot: FileSnapshot): void | Promise<void>;
}

/** Path -> text, or the error that reading it met. */
export type FileSnapshot = ReadonlyMap<string, string | Error>;

export const systemFiles: WatchedFiles = {
  readText: (path) => readFile(path, 'utf8'),
  watchFolder: (folder, onChange) => {
    let watcher: FSWatcher;
    try {
      watcher = watch(folder, { persistent: false }, () => onChange());
    } catch {
      // No folder, or no watches left on this machine: looking regularly has to do.
      return () => {};
    }
    watcher.on('error', () => watcher.close());
    return () => watcher.close();
  },
};

/**
 * Notices changed files by their contents. The folders are watched, not the files: Kubernetes and careful editors replace files,
 * which ends a watch on the file itself.
 */
export class FileWatch {
  readonly #options: FileWatchOptions;
  readonly #clock: Clock;
  readonly #files: WatchedFiles;
  readonly #closers: (() => void)[] = [];
  #cancelPoll: () => void = () => {};
  #cancelSettle: () => void = () => {};
  #last: string | undefined;
  #looking: Promise<void> | undefined;
  #lookAgain = false;
  #closed = false;

  constructor(options: FileWatchOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#files = options.files ?? systemFiles;
  }

  /** The contents now. What `onChange` is told afterwards differs from them. */
  async start(): Promise<FileSnapshot> {
    const snapshot = await this.#read();
    this.#last = fingerprint(snapshot);
    for (const folder of new Set(this.#options.paths.map((path) => dirname(path)))) {
      this.#closers.push(this.#files.watchFolder(folder, () => this.#settle()));
    }
    this.#schedulePoll();
    return snapshot;
  }

  /** Looks at once. Resolves after `onChange` has returned, if there was a change. */
  async look(): Promise<void> {
    if (this.#looking !== undefined) {
      this.#lookAgain = true;
      await this.#looking;
      return;
    }
    this.#looking = this.#lookUntilQuiet();
    try {
      await this.#looking;
    } finally {
      this.#looking = undefined;
    }
  }

  /** Resolves when nothing is being read or told any more; so `onChange` must not wait for it. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#cancelPoll();
    this.#cancelSettle();
    for (const close of this.#closers.splice(0)) close();
    await this.#looking;
  }

  async #lookUntilQuiet(): Promise<void> {
    do {
      this.#lookAgain = false;
      const snapshot = await this.#read();
      const print = fingerprint(snapshot);
      if (this.#closed || print === this.#last) continue;
      this.#last = print;
      await this.#options.onChange(snapshot);
    } while (this.#lookAgain && !this.#closed);
  }

  #settle(): void {
    if (this.#closed) return;
    this.#cancelSettle();
    this.#cancelSettle = this.#clock.schedule(this.#options.settleMs ?? 200, () => void this.look());
  }

  #schedulePoll(): void {
    this.#cancelPoll = this.#clock.schedule(this.#options.pollIntervalMs ?? 10_000, () => {
      void this.look().finally(() => {
        if (!this.#closed) this.#schedulePoll();
      });
    });
  }

  async #read(): Promise<FileSnapshot> {
    const read = async (path: string): Promise<[string, string | Error]> => {
      try {
        return [path, await this.#files.readText(path)];
      } catch (thrown) {
        return [path, thrown instanceof Error ? thrown : new Error(messageOf(thrown))];
      }
    };
    return new Map(await Promise.all(this.#options.paths.map(read)));
  }
}

function fingerprint(snapshot: FileSnapshot): string {
  return JSON.stringify([...snapshot].map(([path, content]) => [path, content instanceof Error ? { error: content.message } : content]));
}
