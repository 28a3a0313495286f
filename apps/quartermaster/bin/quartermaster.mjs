#!/usr/bin/env -S node --max-semi-space-size=16
/**
 * What `npx quartermaster` and the link in node_modules/.bin run. It is no TypeScript, since an older Node could not even read that: there the
 * Node that npm brought along runs the program.
 */
import module from 'node:module';
import { homedir } from 'node:os';
import { compileCacheFolder } from './compile-cache.mjs';

const neededMajor = 24;

if (Number.parseInt(process.versions.node, 10) >= neededMajor) {
  keepCompiledCode(process.env);
  await import('../src/main.ts');
} else {
  const { runOnOwnNode } = await import('./own-node.mjs');
  process.exitCode = await runOnOwnNode(neededMajor);
}

/**
 * Has Node keep what it makes of our TypeScript and of the packages, for this process and those that it starts: from the second start on the
 * compiler is not even loaded. Where nothing can be kept, nothing is, and nobody is told.
 *
 * @param {NodeJS.ProcessEnv} env
 */
function keepCompiledCode(env) {
  const folder = env['NODE_COMPILE_CACHE'] ?? compileCacheFolder(env, homedir());
  if (folder === undefined) return;
  env['NODE_COMPILE_CACHE'] = folder;
  module.enableCompileCache(folder);
}
