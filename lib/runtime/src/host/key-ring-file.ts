import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readOrMake } from '@quartermaster/auth';
import { messageOf, StatusError } from '@quartermaster/kernel';
import { KeyRing } from '@quartermaster/store';
import type { DatabaseConfig } from '../declaration/database-settings.ts';

/** The keys that the settings name. In the data directory of an embedded database one is made when there is none: whoever loses it loses the secrets. */
export async function openKeyRing({ keyRing, keyRingFile, dataDirectory }: DatabaseConfig): Promise<KeyRing> {
  if (keyRing !== undefined) return KeyRing.parse(keyRing.reveal());
  if (keyRingFile !== undefined) return await ringIn(keyRingFile, () => readFile(keyRingFile, 'utf8'));
  if (dataDirectory === undefined) throw new StatusError('invalid_argument', 'no key ring is set: set the key ring file of the role');
  const own = join(dataDirectory, 'key-ring');
  return await ringIn(own, () => readOrMake(own, () => KeyRing.generate()));
}

async function ringIn(path: string, read: () => Promise<string>): Promise<KeyRing> {
  const text = await read().catch((thrown: unknown) => {
    throw new StatusError('invalid_argument', `the key ring ${path} cannot be read: ${messageOf(thrown)}`);
  });
  return KeyRing.parse(text);
}
