import { join } from 'node:path';
import { collect } from './collect.mjs';
import { isExecutable } from './is-executable.mjs';
import { inStep } from './progress.mjs';

/**
 * A package of Debian that some tests need. `probe` is the binary that shows that it is there, from whichever source.
 *
 * @typedef {object} DebianPackage
 * @property {string} package
 * @property {string} probe
 * @property {string} why
 */

/** @satisfies {Record<string, DebianPackage>} */
export const debianPackages = {
  natsServer: { package: 'nats-server', probe: 'nats-server', why: 'the bus on NATS JetStream is tested on a real server' },
  chromium: { package: 'chromium', probe: 'chromium', why: 'the web console is tested in a real browser' },
};

/** Where a user without rights has no PATH to and Debian still puts servers. */
const serverFolders = ['/usr/local/sbin', '/usr/sbin', '/sbin'];

/**
 * The path of a binary on PATH or among the system's servers.
 *
 * @param {string} name
 * @param {string} [path]
 * @returns {string | undefined}
 */
export function findBinary(name, path = process.env['PATH'] ?? '') {
  return [...path.split(':').filter((folder) => folder !== ''), ...serverFolders]
    .map((folder) => join(folder, name))
    .find((file) => isExecutable(file));
}

/**
 * How commands are run: resolves with the exit code and everything written. `onStatus` gets what apt says on its status
 * channel.
 *
 * @typedef {(command: string, args: readonly string[], onStatus: (line: string) => void) => Promise<{ code: number, output: string }>} RunCommand
 */

/**
 * Installs those of the packages whose binary is missing, with apt-get. Takes milliseconds when there is nothing to do.
 * Needs root: what it cannot install it names in the error, with the command that does.
 *
 * @param {readonly DebianPackage[]} packages
 * @param {object} options
 * @param {import('./progress.mjs').Log} options.log
 * @param {boolean} [options.isRoot]
 * @param {(name: string) => string | undefined} [options.find]
 * @param {RunCommand} [options.run]
 */
export async function ensureDebianPackages(
  packages,
  { log, isRoot = process.getuid?.() === 0, find = (name) => findBinary(name), run = runApt },
) {
  const missing = packages.filter(({ probe }) => find(probe) === undefined);
  if (missing.length === 0) return;
  if (find('apt-get') === undefined) throw explain(missing, 'This system has no apt-get.');
  if (!isRoot) throw explain(missing, 'Only root may install packages.');

  const names = missing.map((each) => each.package);
  await inStep(log, `install ${names.join(', ')} with apt-get`, async (step) => {
    // A failed update of one list is no reason to give up: the package may be in the others, or in the cache.
    await run('apt-get', ['update', '--quiet', ...lockPatience], () => step.update('reading the package lists'));
    const { code, output } = await run('apt-get', [...install, ...lockPatience, ...names], (line) => {
      const text = describeStatus(line);
      if (text !== undefined) step.update(text);
    });
    const absent = missing.filter(({ probe }) => find(probe) === undefined);
    if (code !== 0) throw explain(missing, `apt-get ended with code ${code}:\n${lastLines(output)}`);
    if (absent.length > 0) throw explain(absent, `apt-get found nothing to complain about, yet there is no ${absent[0]?.probe}.`);
  });
}

const install = ['install', '--yes', '--quiet', '--no-install-recommends', '-o', 'APT::Status-Fd=3'];
/** Another apt may be at work on the machine. */
const lockPatience = ['-o', 'DPkg::Lock::Timeout=120'];

/**
 * `dlstatus:1:20.0:Retrieving file 1 of 1` and `pmstatus:nats-server:40.0:Unpacking nats-server`, for people.
 *
 * @param {string} line
 * @returns {string | undefined}
 */
export function describeStatus(line) {
  const [, percent, text] = /^(?:dlstatus|pmstatus):[^:]*:(\d+)(?:\.\d+)?:(.*)$/.exec(line) ?? [];
  return percent === undefined || text === undefined ? undefined : `${percent} %, ${text}`;
}

/** @param {readonly DebianPackage[]} missing @param {string} reason */
function explain(missing, reason) {
  const names = missing.map((each) => each.package).join(' ');
  return new Error(
    [
      ...missing.map((each) => `The Debian package ${each.package} is missing (${each.probe} is not on PATH): ${each.why}.`),
      reason,
      'Install it and run the command again:',
      `  sudo apt-get update && sudo apt-get install --no-install-recommends ${names}`,
    ].join('\n'),
  );
}

/** @param {string} output */
const lastLines = (output) => output.trim().split('\n').slice(-5).join('\n');

/** @type {RunCommand} */
const runApt = (command, args, onStatus) =>
  collect(command, args, { onStatus, env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive', LC_ALL: 'C.UTF-8' } });
