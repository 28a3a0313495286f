import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { explainMissingNode24, findNode24, root, toolEnvironment } from './find-node24.mjs';

export { ensureWorkspace } from './workspace.mjs';

/**
 * Runs a script on Node 24 in the root of the checkout, with the terminal handed through. Interrupting this process
 * interrupts the script and waits for it, so that it can stop what it started.
 *
 * @param {string} scriptFile Absolute, or relative to the root of the checkout.
 * @param {readonly string[]} args
 * @param {{ env?: NodeJS.ProcessEnv, nodeFlags?: readonly string[] }} [options]
 * @returns {Promise<number>} The exit code; 128 + the signal's number when a signal ended the script.
 */
export async function runOnNode24(scriptFile, args, { env, nodeFlags = [] } = {}) {
  const node = findNode24();
  if (node === undefined) throw new Error(explainMissingNode24());
  const child = spawn(node, [...nodeFlags, scriptFile, ...args], { cwd: root, stdio: 'inherit', env: toolEnvironment(env) });

  // A terminal interrupts the whole process group, so the script has the signal already: twice would read as "at once".
  const onInterrupt = () => void (process.stdin.isTTY || child.kill('SIGINT'));
  const onTerminate = () => void child.kill('SIGTERM');
  process.on('SIGINT', onInterrupt);
  process.on('SIGTERM', onTerminate);
  try {
    return await new Promise((resolve, reject) => {
      child.once('error', reject);
      child.once('exit', (code, signal) => resolve(code ?? 128 + (signal === null ? 0 : constants.signals[signal])));
    });
  } finally {
    process.off('SIGINT', onInterrupt);
    process.off('SIGTERM', onTerminate);
  }
}
