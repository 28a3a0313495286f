import { spawn } from 'node:child_process';

/**
 * Runs a command to its end and keeps everything that it writes.
 *
 * @param {string} command
 * @param {readonly string[]} args
 * @param {{ cwd?: string, env?: NodeJS.ProcessEnv, onStatus?: (line: string) => void }} [options] `onStatus` gets the lines of file descriptor 3.
 * @returns {Promise<{ code: number, output: string }>} Rejects when the command cannot be started.
 */
export function collect(command, args, { onStatus, ...options } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { ...options, stdio: ['ignore', 'pipe', 'pipe', onStatus === undefined ? 'ignore' : 'pipe'] });
    let output = '';
    let status = '';
    /** @param {Buffer} chunk */
    const keep = (chunk) => {
      output += chunk.toString();
    };
    child.stdout?.on('data', keep);
    child.stderr?.on('data', keep);
    child.stdio[3]?.on('data', (/** @type {Buffer} */ chunk) => {
      const lines = (status + chunk.toString()).split('\n');
      status = lines.pop() ?? '';
      for (const line of lines) onStatus?.(line);
    });
    child.once('error', (cause) => reject(new Error(`${command} could not be started: is it on PATH?`, { cause })));
    child.once('close', (code) => resolve({ code: code ?? 1, output }));
  });
}
