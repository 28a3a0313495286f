import { lstatSync, mkdirSync } from 'node:fs';
import { dirname, isAbsolute, join } from 'node:path';

/**
 * Where what Node makes of our code is kept; undefined where somebody else could put code of theirs there, or nothing can be kept.
 *
 * @param {NodeJS.ProcessEnv} env
 * @param {string} home
 * @returns {string | undefined}
 */
export function compileCacheFolder(env, home) {
  const base = [env['XDG_CACHE_HOME'] ?? '', home && join(home, '.cache')].find(isAbsolute);
  if (base === undefined) return undefined;
  const folder = join(base, 'quartermaster', 'compiled');
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    return isOurs(folder) && isOurs(dirname(folder)) ? folder : undefined;
  } catch {
    return undefined;
  }
}

/** @param {string} folder */
function isOurs(folder) {
  const found = lstatSync(folder);
  return found.isDirectory() && found.uid === process.geteuid?.() && (found.mode & 0o022) === 0;
}
