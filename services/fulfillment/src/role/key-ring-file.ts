import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readOrMake } from '@quartermaster/auth';
import { messageOf, StatusError } from '@quartermaster/kernel';
import { KeyRing } from '@quartermaster/store';
import type { FulfillmentSettings } from './fulfillment-settings.ts';

type KeySettings = Pick<FulfillmentSettings, 'fulfillment-key-ring' | 'fulfillment-key-ring-file' | 'fulfillment-data-directory'>;

/** The keys that the settings name. In the data directory of an embedded database one is made when there is none: whoever loses it loses the secrets. */
export async function openKeyRing(settings: KeySettings): Promise<KeyRing> {
  const given = settings['fulfillment-key-ring'];
  if (given !== undefined) return KeyRing.parse(given.reveal());
  const file = settings['fulfillment-key-ring-file'];
  if (file !== undefined) return await ringIn(file, () => readFile(file, 'utf8'));
  const directory = settings['fulfillment-data-directory'];
  if (directory === undefined) throw new StatusError('invalid_argument', 'no key ring is given: set fulfillment-key-ring-file');
  const own = join(directory, 'key-ring');
  return await ringIn(own, () => readOrMake(own, () => KeyRing.generate()));
}

async function ringIn(path: string, read: () => Promise<string>): Promise<KeyRing> {
  const text = await read().catch((thrown: unknown) => {
    throw new StatusError('invalid_argument', `the key ring ${path} cannot be read: ${messageOf(thrown)}`);
  });
  return KeyRing.parse(text);
}
