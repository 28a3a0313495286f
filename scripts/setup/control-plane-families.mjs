/**
 * The binaries of the control plane that tests run against, in families that are built together.
 *
 * A family's folder in the cache is named by a hash of everything that its build reads from the checkout and of the Go that builds it, so a
 * folder that exists is finished and right, two checkouts share what is the same, and a changed pin or Go is built beside the old.
 */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { goVersion } from './go-toolchain.mjs';

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
const modules = ['kubernetes', 'etcd'];

/** Outside every checkout, so that clones share what took minutes to build. */
export function cacheFolder(env = process.env) {
  if (env['QUARTERMASTER_CACHE']) return env['QUARTERMASTER_CACHE'];
  return join(env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'quartermaster');
}

/** @type {Map<string, string>} */
const goVersions = new Map(); // cache folder -> version; a Go may still come where there is none

/** @param {NodeJS.ProcessEnv} env */
function versionOfGo(env) {
  const cache = cacheFolder(env);
  const version = goVersions.get(cache) ?? goVersion({ moduleFolders: modules.map((name) => join(goFolder, name)), cache });
  if (version !== undefined) goVersions.set(cache, version);
  return version ?? 'none';
}

/** @returns {readonly Family[]} */
export function families(env = process.env, go = versionOfGo(env)) {
  const kubernetes = join(goFolder, 'kubernetes');
  const commands = /** @type {const} */ (['kube-apiserver', 'kube-controller-manager', 'kube-scheduler', 'kubectl']);
  const flags = ['-trimpath', '-ldflags', `-s -w ${versionVariables(pinnedVersion(kubernetes, 'k8s.io/kubernetes'))}`];
  const etcd = join(goFolder, 'etcd');
  const plainFlags = ['-trimpath', '-ldflags', '-s -w'];
  return [
    family({ env, go }, 'kubernetes', kubernetes, flags, new Map(commands.map((name) => [name, `k8s.io/kubernetes/cmd/${name}`]))),
    family({ env, go }, 'etcd', etcd, plainFlags, new Map([['etcd', 'go.etcd.io/etcd/server/v3']])),
    family({ env, go }, 'kube-oracle', kubernetes, flags, new Map([['kube-oracle', './oracle']]), goSources(join(kubernetes, 'oracle'))),
  ];
}

/**
 * @param {{ env: NodeJS.ProcessEnv, go: string }} place
 * @param {string} name
 * @param {string} moduleFolder
 * @param {readonly string[]} flags
 * @param {ReadonlyMap<BinaryName, string>} packages
 * @param {readonly string[]} sources
 * @returns {Family}
 */
function family({ env, go }, name, moduleFolder, flags, packages, sources = []) {
  const hash = createHash('sha256');
  for (const part of [process.platform, process.arch, go, ...flags, ...packages.values()]) hash.update(`${part}\0`);
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
