import { execFileSync } from 'node:child_process';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The root of the checkout. */
export const root = fileURLToPath(new URL('../../', import.meta.url));

const neededMajor = 24;
const binFolder = join(root, 'node_modules', '.bin');

/**
 * The Node 24 that runs everything but the set-up: the one npm brought along for this platform, otherwise the running
 * one when it is new enough. Undefined when there is neither.
 *
 * @returns {string | undefined}
 */
export function findNode24() {
  const bundled = join(root, 'node_modules', `node-${process.platform}-${process.arch}`, 'bin', 'node');
  return [bundled, process.execPath].find((file) => majorOf(file) >= neededMajor);
}

/** @returns {string} What to tell a person when `findNode24` found nothing. */
export function explainMissingNode24() {
  const platform = `${process.platform}-${process.arch}`;
  return [
    `Node ${neededMajor} is needed and was not found: this is Node ${process.versions.node} on ${platform},`,
    `and the npm package node-${platform} does not run here or could not be installed (was npm's registry reachable?).`,
    `Install Node ${neededMajor} or later (https://nodejs.org/en/download) and run the command again with it first on PATH.`,
  ].join('\n');
}

/**
 * The environment for the tools of the workspace: they and Node 24 come first on PATH.
 *
 * @param {NodeJS.ProcessEnv} [extra]
 * @returns {NodeJS.ProcessEnv}
 */
export function toolEnvironment(extra = {}) {
  return { ...process.env, ...extra, PATH: `${binFolder}${delimiter}${process.env['PATH'] ?? ''}` };
}

/** @param {string} file @returns {number} The major version that the binary reports; 0 when it does not run. */
function majorOf(file) {
  if (file === process.execPath) return Number.parseInt(process.versions.node, 10);
  try {
    return Number.parseInt(execFileSync(file, ['--version'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).slice(1), 10);
  } catch {
    return 0;
  }
}
