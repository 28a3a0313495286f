import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { collect } from './collect.mjs';
import { explainMissingNode24, findNode24, root } from './find-node24.mjs';
import { inStep } from './progress.mjs';

/** @typedef {{ version?: string, resolved?: string, link?: boolean, optional?: boolean, devOptional?: boolean }} LockEntry */
/** @typedef {Record<string, LockEntry>} LockPackages location -> what is there */

/**
 * Installs the npm packages when `node_modules` is missing or is not what package-lock.json says. Idempotent, and takes
 * milliseconds when there is nothing to do. The committed lock file is read and never written.
 *
 * @param {{ log: import('./progress.mjs').Log }} options
 */
export async function ensureWorkspace({ log }) {
  const wanted = readLock('package-lock.json');
  if (wanted === undefined)
    throw new Error('package-lock.json is missing or not readable: restore it with `git checkout package-lock.json`.');
  if (isInstalled(wanted, readLock('node_modules/.package-lock.json')) && findNode24() !== undefined) return;
  await install(wanted, log);
  if (findNode24() === undefined) throw new Error(explainMissingNode24());
}

/**
 * Whether npm's own record of what it installed covers the lock. Packages that are optional may be absent: most of them
 * are for other platforms.
 *
 * @param {LockPackages} wanted
 * @param {LockPackages | undefined} installed
 */
export function isInstalled(wanted, installed) {
  if (installed === undefined) return false;
  return Object.entries(wanted).every(([location, want]) => {
    if (!location.startsWith('node_modules/') && !location.includes('/node_modules/')) return true;
    const have = installed[location];
    if (have === undefined) return want.optional === true || want.devOptional === true;
    return want.link === true ? have.resolved === want.resolved : have.version === want.version;
  });
}

/** @param {string} name @returns {LockPackages | undefined} */
function readLock(name) {
  try {
    const lock = /** @type {{ packages?: LockPackages }} */ (JSON.parse(readFileSync(join(root, name), 'utf8')));
    return lock.packages;
  } catch {
    return undefined;
  }
}

/**
 * `npm install` rather than `npm ci`: the latter refuses a lock from which a registry's missing platform packages were
 * left out. `--no-save` keeps the lock as committed.
 *
 * @param {LockPackages} wanted
 * @param {import('./progress.mjs').Log} log
 */
async function install(wanted, log) {
  const locations = Object.keys(wanted).filter((location) => location !== '' && wanted[location]?.optional !== true);
  const args = ['install', '--no-save', '--include=dev', '--include=optional', '--prefer-offline', '--loglevel=error'];
  await inStep(log, 'install npm packages', async (step) => {
    const counter = setInterval(() => {
      const count = locations.filter((location) => existsSync(join(root, location, 'package.json'))).length;
      step.update(`${count} of ${locations.length}`);
    }, 1000);
    try {
      const { code, output } = await collect('npm', args, { cwd: root });
      if (code !== 0) throw new Error(`npm could not install the packages. Its output:\n${output}\nThe command was: npm ${args.join(' ')}`);
      step.done(`${locations.length} packages`);
    } finally {
      clearInterval(counter);
    }
  });
}
