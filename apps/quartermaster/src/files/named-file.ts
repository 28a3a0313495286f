import { readFileSync } from 'node:fs';
import { messageOf, StatusError } from '@quartermaster/kernel';

/** A file that `-f` names, or standard input. */
export interface NamedFile {
  readonly text: string;
  /** For complaints about what is in it. */
  readonly source: string;
}

/** `-` is standard input. `said` is what was typed, for complaints. */
export function readNamedFile(path: string, said = `-f ${path}`): NamedFile {
  try {
    return { text: readFileSync(path === '-' ? 0 : path, 'utf8'), source: path === '-' ? 'standard input' : path };
  } catch (cause) {
    throw new StatusError('invalid_argument', `${said} cannot be read: ${messageOf(cause)}`, { cause });
  }
}
