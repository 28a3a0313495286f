/**
 * `npm test`: sets up what is missing, runs the checks, then every test. `--unit` runs the unit tests alone, without
 * the checks. Other arguments select test files. The last line is `N passed, N failed`, with `, N skipped` where any were.
 */
import { runChecks } from './check/run-checks.mjs';
import { runCommand } from './setup/command.mjs';
import { ensureControlPlane } from './setup/control-plane.mjs';
import { debianPackages, ensureDebianPackages } from './setup/debian.mjs';
import { ensureWorkspace, runOnNode24 } from './setup/node24.mjs';
import { createLog } from './setup/progress.mjs';
import { addCounts, countTests, formatCounts, none, runTests } from './test/vitest.mjs';

const log = createLog();
const isCi = ['true', '1'].includes(process.env['CI'] ?? '');
const filters = process.argv.slice(2).filter((arg) => arg !== '--unit');

/** @returns {Promise<import('./test/vitest.mjs').Counts>} */
async function unitTests() {
  await ensureWorkspace({ log });
  return runTests(['unit'], filters);
}

/** @returns {Promise<import('./test/vitest.mjs').Counts>} */
async function allTests() {
  await ensureWorkspace({ log });
  const missing = await missingOf(() => ensureControlPlane({ log }));
  const missingPackages = missing ?? (await missingOf(() => ensureDebianPackages(Object.values(debianPackages), { log })));
  const failedChecks = await runChecks({ log });
  if (failedChecks > 0) return { ...none, failed: failedChecks };
  // Commands are tested as those who use them run them.
  await runOnNode24('apps/quartermaster/src/make-client-bundle.ts', []);
  if (missing === undefined) {
    const counts = await runTests(['unit', 'integration*'], filters);
    if (missingPackages !== undefined) log.info(`\nThe tests that need it were skipped:\n${missingPackages}`);
    return counts;
  }

  const counts = await runTests(['unit'], filters);
  const skipped = await countTests('integration*', filters);
  log.info(`\nThe integration tests did not run, since there is no control plane:\n${missing}`);
  return addCounts(counts, { ...none, skipped });
}

/**
 * A build server must not pass without what the integration tests need; a person without Go or root may still run the others.
 *
 * @param {() => Promise<unknown>} ensure
 * @returns {Promise<string | undefined>} What is missing, and how to install it.
 */
async function missingOf(ensure) {
  try {
    await ensure();
    return undefined;
  } catch (error) {
    if (isCi) throw error;
    return error instanceof Error ? error.message : String(error);
  }
}

await runCommand(async () => {
  /** @type {import('./test/vitest.mjs').Counts} */
  let counts;
  try {
    counts = await (process.argv.includes('--unit') ? unitTests() : allTests());
  } catch (error) {
    console.error(error instanceof Error ? error.message : String(error));
    counts = { ...none, failed: 1 };
  }
  console.log(formatCounts(counts));
  return counts.failed === 0 ? 0 : 1;
});
