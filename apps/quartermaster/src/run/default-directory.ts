import { homedir } from 'node:os';
import { join } from 'node:path';

/** Where `up` keeps its data unless told: the place that the XDG rules give to a program's own data. */
export function defaultDirectory(env: NodeJS.ProcessEnv = process.env): string {
  const base = env['XDG_DATA_HOME'];
  return join(base === undefined || base === '' ? join(homedir(), '.local', 'share') : base, 'quartermaster', 'up');
}
