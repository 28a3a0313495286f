import { randomUUID } from 'node:crypto';
import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { messageOf, StatusError } from '@quartermaster/kernel';
import { KeyRing } from '@quartermaster/store';
import type { FulfillmentSettings } from './fulfillment-settings.ts';

type KeySettings = Pick<FulfillmentSettings, 'fulfillment-key-ring' | 'fulfillment-key-ring-file' | 'fulfillment-data-directory'>;

/** The keys that the settings name. In the data directory of an embedded database one is made when there is none: whoever loses it loses the secrets. */
export async function openKeyRing(settings: KeySettings): Promise<KeyRing> {
  const given = settings['fulfillment-key-ring'];
  if (given !== undefined) return KeyRing.parse(given.reveal());
  const path = settings['fulfillment-key-ring-file'];
  if (path !== undefined) return KeyRing.parse(await read(path));
  const directory = settings['fulfillment-data-directory'];
  if (directory === undefined) throw new StatusError('invalid_argument', 'no key ring is given: set fulfillment-key-ring-file');
  const own = join(directory, 'key-ring');
  return KeyRing.parse(await makeUnlessThere(own));
}

async function read(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (thrown) {
    throw new StatusError('invalid_argument', `the key ring ${path} cannot be read: ${messageOf(thrown)}`);
  }
}

/** The file appears whole or not at all, and one that appeared meanwhile stays. */
async function makeUnlessThere(path: string): Promise<string> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const draft = `${path}.${randomUUID()}`;
  try {
    await writeFile(draft, KeyRing.generate(), { mode: 0o600, flag: 'wx' });
    await link(draft, path).catch((thrown: unknown) => {
      if (!(thrown instanceof Error && 'code' in thrown && thrown.code === 'EEXIST')) throw thrown;
    });
  } finally {
    await rm(draft, { force: true });
  }
  return await read(path);
}
