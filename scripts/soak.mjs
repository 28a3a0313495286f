/**
 * `npm run soak`: the tests that take larger numbers than there is time for in every run, with those. They are the test files that read
 * QUARTERMASTER_TEST_SOAK, mostly by `times` of test/support/soak.ts; how often each does what is in its names. Other arguments select some of them.
 */
import { runCommand } from './setup/command.mjs';
import { ensureControlPlane } from './setup/control-plane.mjs';
import { debianPackages, ensureDebianPackages } from './setup/debian.mjs';
import { root } from './setup/find-node24.mjs';
import { createLog } from './setup/progress.mjs';
import { ensureWorkspace } from './setup/workspace.mjs';
import { soakFiles } from './test/soak-files.mjs';
import { formatCounts, runTests } from './test/vitest.mjs';

await runCommand(async () => {
  const log = createLog();
  const filters = process.argv.slice(2);
  const files = soakFiles(root).filter((file) => filters.length === 0 || filters.some((filter) => file.includes(filter)));
  if (files.length === 0)
    throw new Error(`No test takes larger numbers under ${filters.join(', ')}. Those that do: ${soakFiles(root).join(', ')}`);
  log.info(['With larger numbers than `npm test`:', ...files].join('\n  '));
  await ensureWorkspace({ log });
  await ensureControlPlane({ log });
  await ensureDebianPackages(Object.values(debianPackages), { log });
  const counts = await runTests(['unit', 'integration*'], files, { env: { QUARTERMASTER_TEST_SOAK: 'true' } });
  console.log(formatCounts(counts));
  return counts.failed === 0 ? 0 : 1;
});
