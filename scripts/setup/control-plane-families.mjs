/**
 * The binaries of the control plane that tests run against, in families that are built together.
 *
 * A family's folder in the cache is named by a hash of everything that its build reads from the checkout, so a folder
 * that exists is finished and right, two checkouts share what is the same, and a changed pin is built beside the old.
 */
import { createHash } from 'node:crypto';
import { accessSync, constants, readdirSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * @typedef {'kube-apiserver' | 'kube-controller-manager' | 'kube-scheduler' | 'kubectl' | 'etcd' | 'kube-oracle'} BinaryName
 *
 * @typedef {object} Family
 * @property {string} name
 * @property {string} moduleFolder The folder of the go.mod.
 * @property {readonly string[]} flags Of `go build`.
 * @property {ReadonlyMap<BinaryName, string>} packages binary -> Go package
 * @property {string} folder Where the finished binaries lie in the cache.
 */

const goFolder = fileURLToPath(new URL('../../test/kube/go/', import.meta.url));

/** Outside every checkout, so that clones share what took minutes to build. */
export function cacheFolder(env = process.env) {
  if (env['QUARTERMASTER_CACHE']) return env['QUARTERMASTER_CACHE'];
  return join(env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'quartermaster');
}

/** @returns {readonly Family[]} */
export function families(env = process.env) {
  const kubernetes = join(goFolder, 'kubernetes');
  const commands = /** @type {const} */ (['kube-apiserver', 'kube-controller-manager', 'kube-scheduler', 'kubectl']);
  const flags = ['-trimpath', '-ldflags', `-s -w ${versionVariables(pinnedVersion(kubernetes, 'k8s.io/kubernetes'))}`];
  const etcd = join(goFolder, 'etcd');
  const plainFlags = ['-trimpath', '-ldflags', '-s -w'];
  return [
    family(env, 'kubernetes', kubernetes, flags, new Map(commands.map((name) => [name, `k8s.io/kubernetes/cmd/${name}`]))),
    family(env, 'etcd', etcd, plainFlags, new Map([['etcd', 'go.etcd.io/etcd/server/v3']])),
    family(env, 'kube-oracle', kubernetes, flags, new Map([['kube-oracle', './oracle']]), goSources(join(kubernetes, 'oracle'))),
  ];
}

/** True when the file is there and may be run. @param {string} file */
export function isExecutable(file) {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/**
 * @param {NodeJS.ProcessEnv} env
 * @param {string} name
 * @param {string} moduleFolder
 * @param {readonly string[]} flags
 * @param {ReadonlyMap<BinaryName, string>} packages
 * @param {readonly string[]} sources
 * @returns {Family}
 */
function family(env, name, moduleFolder, flags, packages, sources = []) {
  const hash = createHash('sha256');
  for (const part of [process.platform, process.arch, ...flags, ...packages.values()]) hash.update(`${part}\0`);
  for (const file of [join(moduleFolder, 'go.mod'), join(moduleFolder, 'go.sum'), ...sources]) hash.update(readFileSync(file)).update('\0');
  return {
    name,
    moduleFolder,
    flags,
    packages,
    folder: join(cacheFolder(env), 'control-plane', `${name}-${hash.digest('hex').slice(0, 32)}`),
  };
}

/** @param {string} folder @returns {string[]} */
function goSources(folder) {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return files
    .filter((file) => file.endsWith('.go') && !file.endsWith('_test.go'))
    .sort()
    .map((file) => join(folder, file));
}

/** The version that go.mod requires of a module. @param {string} moduleFolder @param {string} module */
function pinnedVersion(moduleFolder, module) {
  const file = join(moduleFolder, 'go.mod');
  const pattern = new RegExp(`^(?:require)?\\s*${module.replaceAll('.', '\\.')} (v\\S+)`, 'm');
  const version = pattern.exec(readFileSync(file, 'utf8'))?.[1];
  if (version === undefined) throw new Error(`${file} does not require ${module}; add the requirement with its version`);
  return version;
}

/** Without these the API server calls itself v0.0.0 and its clients complain. @param {string} version */
function versionVariables(version) {
  const [major, minor] = version.slice(1).split('.');
  const variables = { gitVersion: version, gitMajor: major, gitMinor: minor };
  return Object.entries(variables)
    .map(([name, value]) => `-X k8s.io/component-base/version.${name}=${value}`)
    .join(' ');
}
