import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const main = fileURLToPath(new URL('../bin/quartermaster.mjs', import.meta.url));

interface Ending {
  readonly code: number | string | null | undefined;
  readonly stdout: string;
  readonly stderr: string;
}

/** The executable as a shell runs it. */
function run(...args: readonly string[]): Promise<Ending> {
  return new Promise((resolve) => {
    execFile(process.execPath, [main, ...args], (error, stdout, stderr) => resolve({ code: error?.code ?? 0, stdout, stderr }));
  });
}

describe('a command whose server is away', () => {
  // While it waits to try again, nothing but the command itself keeps the process from ending.
  it.each([[['whoami']], [['create', 'host', 'x']]])('%j says so and fails', async (args) => {
    const { code, stdout, stderr } = await run(...args, '--server', '127.0.0.1:1');
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/^quartermaster: no fulfillment service answers at 127\.0\.0\.1:1 .*: start it, or name another with --server/);
  });
});
