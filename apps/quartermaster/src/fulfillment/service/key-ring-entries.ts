import { readFileSync } from 'node:fs';
import { messageOf, StatusError } from '@quartermaster/kernel';
import { KeyRing } from '@quartermaster/store';
import { writeWhole } from '../../files/write-whole.ts';
import type { Output } from '../../text/output.ts';

/**
 * Changes the file of a key ring, one entry in a line; every change is checked before it is written. `add` puts a new key behind the others, which from then
 * on can open what it seals; `use` puts a key before the others, so that it seals; `drop` takes one out: what it seals can never be read again.
 */
export function changeKeyRing(change: 'add' | 'use' | 'drop', file: string, id: string, { out }: Output): void {
  const lines = readLines(file);
  if (change === 'add') {
    const fresh = KeyRing.generate().trimEnd();
    write(file, [...lines, fresh]);
    out.write(`${idOf(fresh)} is in the ring. Restart all replicas, then put it first with \`keys use\`.\n`);
    return;
  }
  const line = lineOf(file, lines, id);
  const others = lines.filter((each) => each !== line);
  if (change === 'use') {
    write(file, [line, ...others]);
    out.write(`${id} seals once all replicas are restarted. Then: \`keys reencrypt\`.\n`);
    return;
  }
  if (lines.find(isEntry) === line) {
    throw new StatusError('failed_precondition', `${id} seals what is written now: put another before it first with \`keys use\``);
  }
  write(file, others);
  out.write(`${id} is out of the ring.\n`);
}

const isEntry = (line: string): boolean => !line.trim().startsWith('#');
const idOf = (line: string): string => line.trim().split(':')[0] ?? '';

function lineOf(file: string, lines: readonly string[], id: string): string {
  const line = lines.find((each) => isEntry(each) && idOf(each) === id);
  if (line !== undefined) return line;
  throw new StatusError('not_found', `${file} has no key ${id}: it has ${lines.filter(isEntry).map(idOf).join(', ')}`);
}

function readLines(file: string): readonly string[] {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (thrown) {
    throw new StatusError('invalid_argument', `the key ring ${file} cannot be read: ${messageOf(thrown)}`);
  }
  KeyRing.parse(text);
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  if (!lines.some((line) => isEntry(line) && line.includes(','))) return lines;
  throw new StatusError('invalid_argument', `${file} has several entries in a line: write each in a line of its own`);
}

function write(file: string, lines: readonly string[]): void {
  const text = `${lines.join('\n')}\n`;
  KeyRing.parse(text);
  writeWhole(file, text);
}
