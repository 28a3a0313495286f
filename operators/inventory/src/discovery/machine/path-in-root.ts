import { posix } from 'node:path';
import { StatusError } from '@quartermaster/kernel';

const maxLinks = 40;

/**
 * The real path of `path` below `root`, with every link resolved as if `root` were `/`: neither a link nor `..` leads out. `readLink` gives the
 * target of a link, or undefined for what is none. The last part may be missing, or left unresolved with `keepLast`.
 */
export async function pathInRoot(
  root: string,
  path: string,
  readLink: (file: string) => Promise<string | undefined>,
  options: { readonly keepLast?: boolean } = {},
): Promise<string> {
  const rest = path.split('/').reverse();
  let at = '/';
  let links = 0;
  for (let part = rest.pop(); part !== undefined; part = rest.pop()) {
    if (part === '' || part === '.') continue;
    if (part === '..') {
      at = posix.dirname(at);
      continue;
    }
    const next = posix.join(at, part);
    const isLast = rest.every((each) => each === '' || each === '.');
    const target = isLast && options.keepLast === true ? undefined : await readLink(posix.join(root, next));
    if (target === undefined) {
      at = next;
      continue;
    }
    links += 1;
    if (links > maxLinks) throw new StatusError('unavailable', `${path} goes through more than ${maxLinks} links`);
    if (target.startsWith('/')) at = '/';
    rest.push(...target.split('/').reverse());
  }
  return posix.join(root, at);
}
