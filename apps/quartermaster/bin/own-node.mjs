import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { constants } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { nodeFlags } from './node-flags.mjs';

/**
 * Runs the command line of this process on the Node that npm installed for this platform.
 *
 * @param {number} neededMajor
 * @returns {Promise<number>} The exit code; 128 + the signal's number when a signal ended it.
 */
export async function runOnOwnNode(neededMajor) {
  const node = ownNode();
  if (node === undefined) {
    process.stderr.write(
      `quartermaster: Node ${neededMajor} or later is needed and this is Node ${process.versions.node}: install it, or run \`npm install\` in the checkout\n`,
    );
    return 1;
  }
  const executable = fileURLToPath(new URL('quartermaster.mjs', import.meta.url));
  const child = spawn(node, [...nodeFlags, executable, ...process.argv.slice(2)], { stdio: 'inherit' });
  // A terminal interrupts the whole process group: the child has the signal already, and twice would read as "at once".
  process.on('SIGINT', () => void (process.stdin.isTTY || child.kill('SIGINT')));
  process.on('SIGTERM', () => void child.kill('SIGTERM'));
  return await new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code, signal) => resolve(code ?? 128 + (signal === null ? 0 : constants.signals[signal])));
  });
}

/** @returns {string | undefined} */
function ownNode() {
  try {
    const manifest = createRequire(import.meta.url).resolve(`node-${process.platform}-${process.arch}/package.json`);
    return join(dirname(manifest), 'bin', 'node');
  } catch {
    return undefined;
  }
}
