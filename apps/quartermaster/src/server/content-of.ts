import { readFileSync } from 'node:fs';
import { messageOf, StatusError } from '@quartermaster/kernel';

/** The text of a file that a flag names. */
export function contentOf(file: string, flag: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    throw new StatusError('invalid_argument', `${flag} ${file} cannot be read: ${messageOf(cause)}`, { cause });
  }
}

/** The text of a file, without the end of its last line; undefined where the flag was not given. */
export function contentIfNamed(file: string | undefined, flag: string): string | undefined {
  return file === undefined ? undefined : contentOf(file, flag).trim();
}
