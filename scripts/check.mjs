/** `npm run check`: format, lint, layers, contracts, types and unused code. */
import { runChecks } from './check/run-checks.mjs';
import { runCommand } from './setup/command.mjs';
import { createLog } from './setup/progress.mjs';
import { ensureWorkspace } from './setup/workspace.mjs';

await runCommand(async () => {
  const log = createLog();
  await ensureWorkspace({ log });
  return (await runChecks({ log })) === 0 ? 0 : 1;
});
