import { existsSync } from 'node:fs';
import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type Log, messageOf, StatusError } from '@quartermaster/kernel';
import { buildPage } from './build-page.ts';
import { packageFolder, sourcesHash } from './sources-hash.ts';

const buildsFolder = join(packageFolder, '.built');

/** A server that still runs on the build before this one keeps its files. */
const maxKeptBuilds = 2;

/**
 * The folder of the built page, built first when the sources changed since. Takes milliseconds when there is nothing to do.
 * Several processes may call it at once: a build appears under its final name only when it is whole.
 */
export async function ensureConsoleBuilt({ log }: { readonly log: Log }): Promise<string> {
  const name = await sourcesHash();
  const folder = join(buildsFolder, name);
  if (isWhole(folder)) return folder;

  const startedMs = performance.now();
  log.info('building the console page', { folder });
  const unfinished = join(buildsFolder, `unfinished-${name}-${process.pid}`);
  try {
    await mkdir(buildsFolder, { recursive: true });
    await buildPage(unfinished);
    await moveInto(unfinished, folder);
  } catch (cause) {
    await rm(unfinished, { recursive: true, force: true });
    throw new StatusError('failed_precondition', `the console page could not be built into ${folder}: ${messageOf(cause)}`, { cause });
  }
  log.info('built the console page', { seconds: Number(((performance.now() - startedMs) / 1000).toFixed(1)) });
  await removeOldBuilds(name);
  return folder;
}

const isWhole = (folder: string): boolean => existsSync(join(folder, 'index.html'));

async function moveInto(unfinished: string, folder: string): Promise<void> {
  try {
    await rename(unfinished, folder);
  } catch (error) {
    // Another process was faster with the same sources.
    if (!isWhole(folder)) throw error;
    await rm(unfinished, { recursive: true, force: true });
  }
}

async function removeOldBuilds(current: string): Promise<void> {
  const names = (await readdir(buildsFolder)).filter((name) => /^[0-9a-f]{16}$/.test(name) && name !== current);
  const builds = await Promise.all(names.map(async (name) => ({ name, builtAt: (await stat(join(buildsFolder, name))).mtimeMs })));
  const old = builds.toSorted((a, b) => b.builtAt - a.builtAt).slice(maxKeptBuilds - 1);
  await Promise.all(old.map(({ name }) => rm(join(buildsFolder, name), { recursive: true, force: true })));
}
