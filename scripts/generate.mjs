/**
 * `npm run generate`: checks the contracts in api/proto and writes the TypeScript for them and for the custom resources of api/crds. What it writes is committed.
 * `npm run generate -- --baseline`, at a release, also makes them what later contracts must not break.
 */
import { baseline, generateCode, generatingPackages, lintContracts, renewBaseline, vendorContracts } from './generate/generate-code.mjs';
import { writeShapes } from './generate/shapes.mjs';
import { runCommand } from './setup/command.mjs';
import { createLog } from './setup/progress.mjs';
import { ensureWorkspace } from './setup/workspace.mjs';

await runCommand(async () => {
  const log = createLog();
  await ensureWorkspace({ log });
  await vendorContracts();
  await lintContracts();
  for (const folder of generatingPackages) {
    const step = log.step(`code of ${folder}`);
    await generateCode(folder);
    step.done('written');
  }
  const step = log.step('shapes of Kubernetes objects');
  await writeShapes();
  step.done('written');
  if (process.argv.includes('--baseline')) {
    await renewBaseline();
    log.info(`api/${baseline}: renewed`);
  }
  return 0;
});
