/** `npm start`: `quartermaster up`, with what it needs installed first. Arguments go to it: `npm start -- --scenario gpu-farm`. */
import { runCommand } from './setup/command.mjs';
import { ensureWorkspace, runOnNode24 } from './setup/node24.mjs';
import { createLog } from './setup/progress.mjs';

await runCommand(async () => {
  await ensureWorkspace({ log: createLog() });
  await runOnNode24('apps/console/src/build/build-ahead.ts', []);
  // Without it commands are slower and do the same.
  await runOnNode24('apps/quartermaster/src/make-client-bundle.ts', []);
  return await runOnNode24('apps/quartermaster/bin/quartermaster.mjs', ['up', ...process.argv.slice(2)], {
    nodeFlags: ['--max-semi-space-size=16'],
  });
});
