import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { cacheFolder, families } from './control-plane-families.mjs';
import { exclusively } from './exclusive.mjs';
import { goBuild } from './go-build.mjs';
import { ensureGo } from './go-toolchain.mjs';
import { isExecutable } from './is-executable.mjs';

/**
 * @typedef {import('./control-plane-families.mjs').BinaryName} BinaryName
 *
 * @typedef {object} ControlPlaneBinaries
 * @property {string} directory The cache folder under which built binaries lie.
 * @property {Partial<Record<BinaryName, string>>} binaries name -> path; those that are missing are absent
 */

/**
 * Looks for the binaries of the control plane and never builds: in `KUBEBUILDER_ASSETS` first when that is set, then in
 * the cache.
 *
 * @param {NodeJS.ProcessEnv} [env]
 * @returns {ControlPlaneBinaries}
 */
export function findControlPlane(env = process.env) {
  const assets = env['KUBEBUILDER_ASSETS'];
  /** @type {Partial<Record<BinaryName, string>>} */
  const binaries = {};
  for (const family of families(env)) {
    for (const name of family.packages.keys()) {
      const candidates = [...(assets ? [join(assets, name)] : []), join(family.folder, name)];
      const found = candidates.find(isExecutable);
      if (found !== undefined) binaries[name] = found;
    }
  }
  return { directory: directoryIn(env), binaries };
}

/**
 * Finds the binaries as `findControlPlane` does and builds those that are missing: about seven minutes and 6 GB of Go's
 * own caches the first time on a machine with two cores, milliseconds ever after. Safe to call from several processes at once.
 *
 * @param {{ log: import('./progress.mjs').Log, env?: NodeJS.ProcessEnv }} options
 * @returns {Promise<ControlPlaneBinaries>}
 */
export async function ensureControlPlane({ log, env = process.env }) {
  if (missingFamilies(env).length > 0) {
    const directory = directoryIn(env);
    mkdirSync(directory, { recursive: true });
    await exclusively(
      join(directory, 'build.lock'),
      () => buildMissing({ log, env, directory }),
      (pid) => log.info(`Waiting for process ${pid}, which is building the Kubernetes binaries.`),
    );
  }
  return findControlPlane(env);
}

/** @param {NodeJS.ProcessEnv} env */
const directoryIn = (env) => join(cacheFolder(env), 'control-plane');

/** @param {NodeJS.ProcessEnv} env */
function missingFamilies(env) {
  const { binaries } = findControlPlane(env);
  return families(env).filter((family) => [...family.packages.keys()].some((name) => binaries[name] === undefined));
}

/** @param {{ log: import('./progress.mjs').Log, env: NodeJS.ProcessEnv, directory: string }} options */
async function buildMissing({ log, env, directory }) {
  // Another process may have built everything while this one waited.
  const missing = missingFamilies(env);
  if (missing.length === 0) return;
  removeUnfinished(directory);
  const moduleFolders = missing.map((family) => family.moduleFolder);
  const go = await ensureGo({ log, moduleFolders, cache: cacheFolder(env) });
  log.info(
    `Building Kubernetes binaries into ${directory}: some minutes the first time on a machine, not again until their versions change.`,
  );
  // Their folders are named by the Go, which may have come only now.
  for (const family of missingFamilies(env)) await goBuild({ go, family, log });
}

/** What interrupted builds left behind. @param {string} directory */
function removeUnfinished(directory) {
  for (const name of readdirSync(directory)) {
    if (name.endsWith('.tmp')) rmSync(join(directory, name), { recursive: true, force: true });
  }
}
