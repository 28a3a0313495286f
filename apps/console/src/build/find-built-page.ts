import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { StatusError } from '@quartermaster/kernel';
import { packageFolder, sourcesHash } from './sources-hash.ts';

/** Where builds of the page are kept, each named after the sources that it was made from. */
export const buildsFolder = join(packageFolder, '.built');

/** Whether a build is there and complete. */
export const isWhole = (folder: string): boolean => existsSync(join(folder, 'index.html'));

/** The folder of the page that was built from the sources as they are. Builds nothing, and trying again would not help: a server has no bundler. */
export async function findBuiltPage(): Promise<string> {
  const folder = join(buildsFolder, await sourcesHash());
  if (isWhole(folder)) return folder;
  throw new StatusError(
    'invalid_argument',
    'the page of the console is not built for these sources: run `npm run build:console` in the checkout',
  );
}
