/**
 * `npm run build:console`: builds the page of the web console, which takes some seconds, and nothing when it was built from the same sources. `npm install` does
 * it, too (`--prepare`): there, a workspace without the development packages, which bring the bundler, is left as it is.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { runCommand } from './setup/command.mjs';
import { findNode24, root } from './setup/find-node24.mjs';
import { runOnNode24 } from './setup/node24.mjs';

await runCommand(async () => {
  const canBuild = existsSync(join(root, 'node_modules', 'vite')) && findNode24() !== undefined;
  if (process.argv.includes('--prepare') && !canBuild) return 0;
  return await runOnNode24('apps/console/src/build/build-ahead.ts', []);
});
