import {
  closeSync,
  createReadStream,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { StatusError } from '@quartermaster/kernel';
import type { JsonObject } from '../object/api-object.ts';
import type { Store, StoredEvent } from './store.ts';

/** Writes objects as JSON. */
interface ObjectText {
  text(object: JsonObject): string;
}

/** The layout of a data directory. A later one is refused rather than misread. */
const layout = 1;
/** A journal becomes a snapshot once it is this long and longer than the snapshot that it follows. */
const journalBytes = 256 * 1024 * 1024;

/** Lines of one write: many in one text could be more than a string may hold. */
const linesAtATime = 1000;

type Line = readonly [revision: number, storageKey: string, key: string, object: JsonObject | null];

interface FileRead {
  /** The highest in the file. */
  readonly revision: number;
  readonly bytes: number;
  readonly isCutShort: boolean;
}

/**
 * Keeps a store in a directory: a snapshot, and a journal of what was committed since. A commit is in the journal before its
 * writer is answered, so that killing the process loses nothing that anybody was told. A last line that was cut short is
 * of a commit that nobody was told about.
 */
export class Persistence {
  readonly #directory: string;
  readonly #store: Store;
  readonly #encoder: ObjectText;
  #journal = -1;
  #size = 0;

  constructor(directory: string, store: Store, encoder: ObjectText) {
    this.#directory = directory;
    this.#store = store;
    this.#encoder = encoder;
  }

  /** Reads what is there and keeps the journal from now on. */
  async open(): Promise<void> {
    mkdirSync(this.#directory, { recursive: true, mode: 0o700 });
    this.#checkLayout();
    const snapshot = await this.#read('snapshot.jsonl');
    const journal = await this.#read('journal.jsonl');
    this.#store.resumeAt(Math.max(snapshot.revision, journal.revision));
    // A journal that ends in the middle of a line cannot be gone on with.
    if (journal.isCutShort || this.#isLong(journal.bytes)) this.#snapshot();
    else this.#continueJournal(journal.bytes);
    this.#store.journalTo((events) => this.#append(events));
  }

  close(): void {
    if (this.#journal < 0) return;
    fsyncSync(this.#journal);
    closeSync(this.#journal);
    this.#journal = -1;
  }

  /** A secret of the server, made once and kept. */
  async secret<T>(name: string, make: () => Promise<T>): Promise<T> {
    const file = this.#path(name);
    if (existsSync(file)) return JSON.parse(readFileSync(file, 'utf8')) as T;
    const made = await make();
    writeFileSync(file, JSON.stringify(made), { mode: 0o600 });
    return made;
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

  async #read(name: string): Promise<FileRead> {
    const file = this.#path(name);
    if (!existsSync(file)) return { revision: 0, bytes: 0, isCutShort: false };
    let revision = 0;
    let isCutShort = false;
    for await (const text of createInterface({ input: createReadStream(file), crlfDelay: Number.POSITIVE_INFINITY })) {
      if (isCutShort) throw new StatusError('internal', `${file} is corrupt: restore it, or use another data directory`);
      const line = parseLine(text);
      if (line === undefined) {
        isCutShort = true;
        continue;
      }
      const [lineRevision, storageKey, key, object] = line;
      revision = Math.max(revision, lineRevision);
      if (key === '') continue;
      if (object === null) this.#store.unload(storageKey, key);
      else this.#store.load(storageKey, key, object);
    }
    return { revision, bytes: statSync(file).size, isCutShort: isCutShort || !endsWithLine(file) };
  }

  #append(events: readonly StoredEvent[]): void {
    for (let start = 0; start < events.length; start += linesAtATime) {
      const lines = events.slice(start, start + linesAtATime).map((event) => this.#lineOf(event));
      this.#size += writeSync(this.#journal, lines.join(''));
    }
    if (this.#isLong(this.#size)) this.#snapshotLater();
  }

  #lineOf({ type, revision, storageKey, key, object }: StoredEvent): string {
    return this.#line(revision, storageKey, key, type === 'DELETED' ? undefined : object);
  }

  #line(revision: number, storageKey: string, key: string, object: JsonObject | undefined): string {
    const text = object === undefined ? 'null' : this.#encoder.text(object);
    return `[${revision},${JSON.stringify(storageKey)},${JSON.stringify(key)},${text}]\n`;
  }

  #isLong(bytes: number): boolean {
    const snapshot = this.#path('snapshot.jsonl');
    return bytes > journalBytes && (!existsSync(snapshot) || bytes > statSync(snapshot).size);
  }

  #continueJournal(bytes: number): void {
    this.#journal = openSync(this.#path('journal.jsonl'), 'a', 0o600);
    this.#size = bytes;
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
    let lines = [this.#line(this.#store.revision, '', '', undefined)];
    for (const storageKey of this.#store.storageKeys) {
      for (const [key, object] of this.#store.collection(storageKey).range('')) {
        lines.push(this.#line(0, storageKey, key, object));
        if (lines.length < linesAtATime) continue;
        writeSync(file, lines.join(''));
        lines = [];
      }
    }
    writeSync(file, lines.join(''));
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

function endsWithLine(file: string): boolean {
  const { size } = statSync(file);
  if (size === 0) return true;
  const handle = openSync(file, 'r');
  const last = Buffer.alloc(1);
  readSync(handle, last, 0, 1, size - 1);
  closeSync(handle);
  return last[0] === 0x0a;
}

function parseLine(text: string): Line | undefined {
  try {
    return JSON.parse(text) as Line;
  } catch {
    return undefined;
  }
}
