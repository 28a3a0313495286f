import { StatusError } from '@quartermaster/kernel';

export interface FileStat {
  readonly kind: 'file' | 'directory' | 'link';
  readonly size: number;
}

/** Reading a node's root filesystem. Paths are absolute; links are followed. Throws `not_found` naming the path. */
export interface RootFilesystem {
  readFile(path: string): Promise<string>;
  readBytes(path: string): Promise<Uint8Array>;
  /** Names, sorted. */
  readDirectory(path: string): Promise<readonly string[]>;
  /** Of the path itself: a link is not followed. */
  stat(path: string): Promise<FileStat>;
  /** The target, as it is written. Links in the folders above are followed. */
  readLink(path: string): Promise<string>;
}

interface Link {
  readonly target: string;
}

/** A text, bytes, a link, or a text that is made anew whenever somebody reads it. */
export type FileEntry = string | Uint8Array | Link | (() => string);

const maxLinks = 16;

/** A read-only tree in memory. Directories exist through what is in them. */
export class MemoryFilesystem implements RootFilesystem {
  readonly #files: ReadonlyMap<string, FileEntry>; // absolute path -> what is there
  readonly #directories = new Map<string, Set<string>>(); // absolute path -> names

  constructor(files: ReadonlyMap<string, FileEntry>) {
    this.#files = files;
    for (const path of files.keys()) {
      const parts = path.split('/').slice(1);
      parts.forEach((name, index) => {
        const parent = `/${parts.slice(0, index).join('/')}`;
        const names = this.#directories.get(parent);
        if (names === undefined) this.#directories.set(parent, new Set([name]));
        else names.add(name);
      });
    }
  }

  async readFile(path: string): Promise<string> {
    const found = this.#contentAt(path);
    return typeof found === 'string' ? found : Buffer.from(found).toString('utf8');
  }

  async readBytes(path: string): Promise<Uint8Array> {
    const found = this.#contentAt(path);
    return typeof found === 'string' ? Buffer.from(found) : found;
  }

  async readDirectory(path: string): Promise<readonly string[]> {
    const names = this.#directories.get(this.#resolve(path));
    if (names === undefined) throw missing(path, 'is not a directory');
    return [...names].sort();
  }

  async stat(path: string): Promise<FileStat> {
    const own = this.#withoutLinksAbove(path);
    const found = this.#files.get(own);
    if (isLink(found)) return { kind: 'link', size: found.target.length };
    if (found !== undefined) return { kind: 'file', size: Buffer.byteLength(contentOf(found)) };
    if (this.#directories.has(own)) return { kind: 'directory', size: 0 };
    throw missing(path, 'does not exist');
  }

  async readLink(path: string): Promise<string> {
    const found = this.#files.get(this.#withoutLinksAbove(path));
    if (isLink(found)) return found.target;
    throw missing(path, 'is not a link');
  }

  #contentAt(path: string): string | Uint8Array {
    const found = this.#files.get(this.#resolve(path));
    if (found === undefined || isLink(found)) throw missing(path, 'is not a file');
    return contentOf(found);
  }

  #withoutLinksAbove(path: string): string {
    if (path === '/') return path;
    const parent = this.#resolve(path.slice(0, Math.max(path.lastIndexOf('/'), 1)));
    return `${parent === '/' ? '' : parent}/${path.slice(path.lastIndexOf('/') + 1)}`;
  }

  #resolve(path: string, depth = 0): string {
    if (depth > maxLinks) throw missing(path, 'has too many links');
    const parts = path.split('/').filter((part) => part !== '' && part !== '.');
    let at = '';
    for (const [index, part] of parts.entries()) {
      at = part === '..' ? at.slice(0, at.lastIndexOf('/')) : `${at}/${part}`;
      const found = this.#files.get(at);
      if (!isLink(found)) continue;
      const base = found.target.startsWith('/') ? '' : at.slice(0, at.lastIndexOf('/'));
      return this.#resolve([base, found.target, ...parts.slice(index + 1)].join('/'), depth + 1);
    }
    return at === '' ? '/' : at;
  }
}

const isLink = (entry: FileEntry | undefined): entry is Link => typeof entry === 'object' && 'target' in entry;

const contentOf = (entry: Exclude<FileEntry, Link>): string | Uint8Array => (typeof entry === 'function' ? entry() : entry);

function missing(path: string, rule: string): StatusError {
  return new StatusError('not_found', `${path} ${rule} on this node's root filesystem`);
}
