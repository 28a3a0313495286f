import { join } from 'node:path';
import { collect } from '../setup/collect.mjs';
import { findNode24, root, toolEnvironment } from '../setup/find-node24.mjs';

/**
 * @typedef {object} Check
 * @property {string} name
 * @property {string} command A tool of node_modules/.bin.
 * @property {readonly string[]} args
 */

/** @type {readonly Check[]} */
const checks = [
  { name: 'format', command: 'biome', args: ['check', '--error-on-warnings', '--colors=off'] },
  { name: 'layers', command: 'node', args: ['scripts/check/layers.ts'] },
  { name: 'patterns in assertions', command: 'node', args: ['scripts/check/object-patterns.ts'] },
  { name: 'contracts', command: 'buf', args: ['breaking', 'api', '--against', 'api/baseline/contracts.binpb'] },
  { name: 'types', command: 'tsc', args: ['-p', '.'] },
  { name: 'types of the page', command: 'tsc', args: ['-p', 'apps/console/src/page'] },
  { name: 'lint', command: 'oxlint', args: ['--type-aware'] },
  { name: 'unused code', command: 'knip', args: ['--no-progress', '--no-config-hints'] },
  {
    name: 'code that the product does not use',
    command: 'knip',
    args: ['--production', '--config=knip.production.jsonc', '--exclude=types,nsTypes', '--no-progress', '--no-config-hints'],
  },
];

// Each tool is parallel inside or short; two at a time keep the cores of a small machine busy without a fight for them.
const atOnce = 2;

/**
 * Runs every check, also after one failed. Says of each whether it passed and how long it took, with the output of
 * those that failed.
 *
 * @param {{ log: import('../setup/progress.mjs').Log }} options
 * @returns {Promise<number>} How many failed.
 */
export async function runChecks({ log }) {
  const waiting = [...checks];
  let failures = 0;
  const worker = async () => {
    for (let check = waiting.shift(); check !== undefined; check = waiting.shift()) {
      const step = log.step(check.name);
      const { code, output } = await run(check);
      if (code === 0) {
        step.done('ok');
      } else {
        failures += 1;
        step.fail('failed');
        log.info(output.trimEnd());
      }
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  return failures;
}

/** @param {Check} check @returns {Promise<{ code: number, output: string }>} */
function run({ command, args }) {
  const file = command === 'node' ? findNode24() : join(root, 'node_modules', '.bin', command);
  return collect(file ?? command, args, { cwd: root, env: toolEnvironment() }).catch((error) => ({ code: 1, output: String(error) }));
}
