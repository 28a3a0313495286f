import { enableCompileCache } from 'node:module';
import { homedir } from 'node:os';
import { join } from 'node:path';

/**
 * Has Node keep what it makes of our TypeScript and of the packages, for this process and those that it starts: loading takes half
 * the time from the second start on. Where nothing can be kept, nothing is, and nobody is told.
 */
export function keepCompiledCode(env: NodeJS.ProcessEnv = process.env): void {
  env['NODE_COMPILE_CACHE'] ??= join(cacheDirectory(env), 'compiled');
  enableCompileCache(env['NODE_COMPILE_CACHE']);
}

/** Where a checkout keeps what can be made again. */
function cacheDirectory(env: NodeJS.ProcessEnv): string {
  const base = env['XDG_CACHE_HOME'];
  return env['QUARTERMASTER_CACHE'] ?? join(base === undefined || base === '' ? join(homedir(), '.cache') : base, 'quartermaster');
}
