import { StatusError } from '@quartermaster/kernel';
import type { RootFilesystem } from '../machine/memory-filesystem.ts';

const blockBytes = 512;
const longestName = 100;
const longestPrefix = 155;
const types = { file: '0', link: '2', directory: '5' } as const;

/** A tar archive (ustar) of a file, or of a directory with all that is in it. Text, as everything in these filesystems is. */
export async function tarArchive(filesystem: RootFilesystem, path: string): Promise<string> {
  return `${await entries(filesystem, path)}${'\0'.repeat(2 * blockBytes)}`;
}

async function entries(filesystem: RootFilesystem, path: string): Promise<string> {
  const { kind } = await filesystem.stat(path);
  const name = path.replace(/^\/+/, '');
  if (kind === 'link') return header(name, kind, 0, await filesystem.readLink(path));
  if (kind === 'file') {
    const text = await filesystem.readFile(path);
    const size = Buffer.byteLength(text);
    return `${header(name, kind, size)}${text}${'\0'.repeat((blockBytes - (size % blockBytes)) % blockBytes)}`;
  }
  let archive = header(`${name}/`, kind, 0);
  for (const child of await filesystem.readDirectory(path)) archive += await entries(filesystem, `${path === '/' ? '' : path}/${child}`);
  return archive;
}

function header(path: string, kind: keyof typeof types, size: number, target = ''): string {
  const [prefix, name] = splitName(path);
  const octal = (value: number, length: number): string => `${value.toString(8).padStart(length - 1, '0')}\0`;
  const text = (value: string, length: number): string => value.padEnd(length, '\0');
  const before = [
    text(name, longestName),
    octal(kind === 'directory' ? 0o755 : 0o644, 8),
    octal(0, 8),
    octal(0, 8),
    octal(size, 12),
    octal(0, 12),
  ];
  const after = [types[kind], text(target, longestName), 'ustar\x0000', text('root', 32), text('root', 32), octal(0, 8), octal(0, 8)];
  const fields = (checksum: string): string => text([...before, checksum, ...after, text(prefix, longestPrefix)].join(''), blockBytes);
  // The sum counts its own field as blanks.
  const sum = Buffer.from(fields(' '.repeat(8))).reduce((total, byte) => total + byte, 0);
  return fields(`${octal(sum, 7)} `);
}

/** A path that is too long for its field is cut at a slash, and the front goes into a field of its own. */
function splitName(path: string): readonly [prefix: string, name: string] {
  if (path.length <= longestName) return ['', path];
  const cut = path.indexOf('/', path.length - longestName - 1);
  if (cut > 0 && cut <= longestPrefix) return [path.slice(0, cut), path.slice(cut + 1)];
  throw new StatusError('invalid_argument', `${path} is too long for a tar archive`);
}
