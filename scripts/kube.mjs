/** `npm run kube`: a real Kubernetes control plane on this machine, for people. Runs on Node 20 as well, up to the set-up. */
import { fileURLToPath } from 'node:url';
import { runCommand } from './setup/command.mjs';
import { ensureControlPlane } from './setup/control-plane.mjs';
import { ensureWorkspace, runOnNode24 } from './setup/node24.mjs';
import { createLog } from './setup/progress.mjs';

await runCommand(async () => {
  const log = createLog();
  await ensureWorkspace({ log });
  await ensureControlPlane({ log });
  return await runOnNode24(fileURLToPath(new URL('../test/kube/by-hand.ts', import.meta.url)), []);
});
