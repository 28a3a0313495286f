import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';

/** Longer than any record of the kernel. */
const recordBytes = 16 * 1024;
/** Of those that matter, the newest, and so much of each. */
const maxKept = 2_000;
const keptCharacters = 1_000;

/**
 * The kernel's log, /dev/kmsg, which gives one record at each read from the oldest that it still has. It forgets; this does not: it reads on from where it
 * stood and keeps the records that matter for as long as it is open. Reads never wait, and those after the first find a few records only.
 */
export class KernelLog {
  readonly #isKept: (record: string) => boolean;
  readonly #maxRecords: number;
  #descriptor: number | undefined;
  #kept: string[] = [];

  /** Reads at most `maxRecords` at one go; the next goes on from there. */
  constructor(isKept: (record: string) => boolean, maxRecords = 100_000) {
    this.#isKept = isKept;
    this.#maxRecords = maxRecords;
  }

  /** The records that matter, one in each line. Undefined when the file is not the kernel's log. Throws as the system does. */
  read(file: string): string | undefined {
    const descriptor = this.#descriptor ?? openSync(file, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
    if (this.#descriptor === undefined && !fstatSync(descriptor).isCharacterDevice()) {
      closeSync(descriptor);
      return undefined;
    }
    this.#descriptor = descriptor;
    const buffer = Buffer.allocUnsafe(recordBytes);
    for (let records = 0; records < this.#maxRecords; records += 1) {
      const length = readRecord(descriptor, buffer);
      if (length === 'end') break;
      if (length === 'lost') continue;
      const [record = ''] = buffer.toString('utf8', 0, length).split('\n', 1);
      if (!this.#isKept(record)) continue;
      this.#kept.push(record.slice(0, keptCharacters));
      if (this.#kept.length > 2 * maxKept) this.#kept = this.#kept.slice(-maxKept);
    }
    return this.#kept.join('\n');
  }

  close(): void {
    if (this.#descriptor !== undefined) closeSync(this.#descriptor);
    this.#descriptor = undefined;
  }
}

/** `lost`: records were overwritten before they were read; the next read goes on with the oldest that is there. */
function readRecord(descriptor: number, buffer: Buffer): number | 'end' | 'lost' {
  try {
    const length = readSync(descriptor, buffer, 0, buffer.length, null);
    return length === 0 ? 'end' : length;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'EAGAIN') return 'end';
    if (code === 'EPIPE') return 'lost';
    throw error;
  }
}
