import { readFileSync } from 'node:fs';
import { messageOf, StatusError } from '@quartermaster/kernel';
import { KeyRing } from '@quartermaster/store';
import { writeWhole } from '../../files/write-whole.ts';
import type { Output } from '../../text/output.ts';

/** The file of a key ring, one entry in a line. Every change is whole or not at all, and is checked before it is written. */
export class KeyRingEntries {
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
  }

  /** Puts a new key behind the others, which from then on can open what it seals, and returns its id. */
  add(): string {
    const fresh = KeyRing.generate().trimEnd();
    this.#write([...this.#lines(), fresh]);
    return idOf(fresh);
  }

  /** Puts a key before the others: it seals from then on. */
  use(id: string): void {
    const lines = this.#lines();
    const line = this.#lineOf(lines, id);
    this.#write([line, ...lines.filter((each) => each !== line)]);
  }

  /** Takes a key out. What it seals can never be read again. */
  drop(id: string): void {
    const lines = this.#lines();
    const line = this.#lineOf(lines, id);
    if (lines.find(isEntry) === line) {
      throw new StatusError('failed_precondition', `${id} seals what is written now: put another before it first with \`keys use\``);
    }
    this.#write(lines.filter((each) => each !== line));
  }

  #lineOf(lines: readonly string[], id: string): string {
    const line = lines.find((each) => isEntry(each) && idOf(each) === id);
    if (line !== undefined) return line;
    const known = lines.filter(isEntry).map(idOf).join(', ');
    throw new StatusError('not_found', `${this.#path} has no key ${id}: it has ${known}`);
  }

  #lines(): readonly string[] {
    let text: string;
    try {
      text = readFileSync(this.#path, 'utf8');
    } catch (thrown) {
      throw new StatusError('invalid_argument', `the key ring ${this.#path} cannot be read: ${messageOf(thrown)}`);
    }
    KeyRing.parse(text);
    const lines = text.split('\n').filter((line) => line.trim() !== '');
    if (lines.some((line) => isEntry(line) && line.includes(','))) {
      throw new StatusError('invalid_argument', `${this.#path} has several entries in a line: write each in a line of its own`);
    }
    return lines;
  }

  #write(lines: readonly string[]): void {
    const text = `${lines.join('\n')}\n`;
    KeyRing.parse(text);
    writeWhole(this.#path, text);
  }
}

const isEntry = (line: string): boolean => !line.trim().startsWith('#');
const idOf = (line: string): string => line.trim().split(':')[0] ?? '';

/** Adds a key to the file of a ring, puts one first, or takes one out. */
export function changeKeyRing(change: 'add' | 'use' | 'drop', file: string, id: string, { out }: Output): void {
  const entries = new KeyRingEntries(file);
  switch (change) {
    case 'add':
      out.write(`${entries.add()} is in the ring. Restart all replicas, then put it first with \`keys use\`.\n`);
      return;
    case 'use':
      entries.use(id);
      out.write(`${id} seals once all replicas are restarted. Then: \`keys reencrypt\`.\n`);
      return;
    case 'drop':
      entries.drop(id);
      out.write(`${id} is out of the ring.\n`);
  }
}
