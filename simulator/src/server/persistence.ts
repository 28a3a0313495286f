import {
  closeSync,
  createReadStream,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { StatusError } from '@quartermaster/kernel';
import type { JsonObject } from './api-object.ts';
import type { Store, StoredEvent } from './store.ts';

/** The layout of a data directory. A later one is refused rather than misread. */
const layout = 1;
/** A journal is rewritten as a snapshot once it is this much larger than what it started from. */
const journalBytes = 64 * 1024 * 1024;

/** Lines of one write: many in one text could be more than a string may hold. */
const linesAtATime = 1000;

type Line = readonly [revision: number, storageKey: string, key: string, object: JsonObject | null];

/**
 * Keeps a store in a directory: a snapshot, and a journal of what was committed since. A commit is in the journal before its
 * writer is answered, so that killing the process loses nothing that anybody was told. A last line that was cut short is
 * of a commit that nobody was told about.
 */
export class Persistence {
  readonly #directory: string;
  readonly #store: Store;
  #journal = -1;
  #size = 0;

  constructor(directory: string, store: Store) {
    this.#directory = directory;
    this.#store = store;
  }

  /** Reads what is there and keeps the journal from now on. */
  async open(): Promise<void> {
    mkdirSync(this.#directory, { recursive: true, mode: 0o700 });
    this.#checkLayout();
    let revision = await this.#read('snapshot.jsonl');
    const intact = await this.#read('journal.jsonl');
    revision = Math.max(revision, intact);
    this.#store.resumeAt(revision);
    this.#snapshot();
    this.#store.journalTo((events) => this.#append(events));
  }

  close(): void {
    if (this.#journal < 0) return;
    fsyncSync(this.#journal);
    closeSync(this.#journal);
    this.#journal = -1;
  }

  /** A secret of the server, made once and kept. */
  secret<T>(name: string, make: () => T): T {
    const file = this.#path(name);
    if (existsSync(file)) return JSON.parse(readFileSync(file, 'utf8')) as T;
    const made = make();
    writeFileSync(file, JSON.stringify(made), { mode: 0o600 });
    return made;
  }

  readSecret<T>(name: string): T | undefined {
    const file = this.#path(name);
    return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as T) : undefined;
  }

  #checkLayout(): void {
    const file = this.#path('layout');
    if (!existsSync(file)) writeFileSync(file, String(layout));
    const found = Number(readFileSync(file, 'utf8'));
    if (found > layout) {
      throw new StatusError(
        'failed_precondition',
        `${this.#directory} was written by a newer version (layout ${found}, this one knows ${layout}): use that version, or another directory`,
      );
    }
  }

  /** Loads the lines of a file; answers the highest revision in it. */
  async #read(name: string): Promise<number> {
    const file = this.#path(name);
    if (!existsSync(file)) return 0;
    let revision = 0;
    let broken = false;
    for await (const text of createInterface({ input: createReadStream(file), crlfDelay: Number.POSITIVE_INFINITY })) {
      if (broken) throw new StatusError('internal', `${file} is damaged before its end: restore it, or start over with another directory`);
      const line = parseLine(text);
      if (line === undefined) {
        broken = true;
        continue;
      }
      const [lineRevision, storageKey, key, object] = line;
      revision = Math.max(revision, lineRevision);
      if (key === '') continue;
      if (object === null) this.#store.unload(storageKey, key);
      else this.#store.load(storageKey, key, object);
    }
    return revision;
  }

  #append(events: readonly StoredEvent[]): void {
    for (let start = 0; start < events.length; start += linesAtATime) {
      const lines = events.slice(start, start + linesAtATime).map(journalLine);
      this.#size += writeSync(this.#journal, lines.join(''));
    }
    if (this.#size > journalBytes && this.#size > statSync(this.#path('snapshot.jsonl')).size) this.#snapshotLater();
  }

  /** The events being appended are not yet in the store. */
  #snapshotLater(): void {
    this.#size = 0;
    queueMicrotask(() => {
      if (this.#journal >= 0) this.#snapshot();
    });
  }

  #snapshot(): void {
    const temporary = this.#path('snapshot.tmp');
    const file = openSync(temporary, 'w', 0o600);
    const write = (line: Line): void => void writeSync(file, `${JSON.stringify(line)}\n`);
    write([this.#store.revision, '', '', null]);
    for (const storageKey of this.#store.storageKeys) {
      for (const [key, object] of this.#store.collection(storageKey).range('')) write([0, storageKey, key, object]);
    }
    fsyncSync(file);
    closeSync(file);
    renameSync(temporary, this.#path('snapshot.jsonl'));
    // Between these two steps a journal of before says again what the snapshot says: reading it twice changes nothing.
    if (this.#journal < 0) this.#journal = openSync(this.#path('journal.jsonl'), 'a', 0o600);
    truncateSync(this.#path('journal.jsonl'), 0);
    this.#size = 0;
  }

  #path(name: string): string {
    return join(this.#directory, name);
  }
}

function journalLine({ type, revision, storageKey, key, object }: StoredEvent): string {
  const line: Line = [revision, storageKey, key, type === 'DELETED' ? null : object];
  return `${JSON.stringify(line)}\n`;
}

function parseLine(text: string): Line | undefined {
  try {
    return JSON.parse(text) as Line;
  } catch {
    return undefined;
  }
}
