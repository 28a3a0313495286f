/**
 * `npm run bench -- <name> [--rounds N] [--json]`: runs one benchmark of bench/ and prints a table against its baseline. With `--against PATH`, the one
 * of another checkout takes turns with it, and the table compares the two.
 */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { runCommand } from './setup/command.mjs';
import { root } from './setup/find-node24.mjs';
import { ensureWorkspace, runOnNode24 } from './setup/node24.mjs';
import { createLog } from './setup/progress.mjs';

const usage = 'Usage: npm run bench -- <name> [--rounds N] [--json] [--against PATH]';

function benchmarkNames() {
  return readdirSync(join(root, 'bench')).filter((name) => existsSync(join(root, 'bench', name, 'main.ts')));
}

await runCommand(async () => {
  const [name = '', ...options] = process.argv.slice(2);
  const names = benchmarkNames();
  if (!names.includes(name)) {
    const problem = name === '' ? 'Which benchmark?' : `There is no benchmark ${name}.`;
    throw new Error(`${problem} ${usage}\nBenchmarks: ${names.join(', ') || 'none yet'}`);
  }
  await ensureWorkspace({ log: createLog() });
  return options.includes('--against')
    ? runOnNode24('bench/against.ts', [name, ...options])
    : runOnNode24(`bench/${name}/main.ts`, options);
});
