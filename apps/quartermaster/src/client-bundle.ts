/**
 * The commands that ask a server, in one file: Node reads it in a fraction of the time that the hundreds of files take from which it is made.
 * `npm start` makes it; it is used as long as each of those files is as it was, and otherwise the files themselves are.
 */
import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export interface BundleRecord {
  /** Of the bundle, beside the record. */
  readonly file: string;
  /** Path from the root -> size and time of the last change of what it was made from. */
  readonly inputs: Readonly<Record<string, string>>;
}

/** The root of the checkout. */
export const root = fileURLToPath(new URL('../../../', import.meta.url));
export const bundleFolder = join(root, 'node_modules', '.cache', 'quartermaster');
export const recordPath = join(bundleFolder, 'client.json');

/** The path of the bundle. Undefined when there is none, or when it is not what the sources would do. */
export function freshBundle(record: string = recordPath): string | undefined {
  try {
    const { file, inputs } = JSON.parse(readFileSync(record, 'utf8')) as BundleRecord;
    const isFresh = Object.entries(inputs).every(([path, stamp]) => stampOf(path) === stamp);
    const path = join(dirname(record), file);
    return isFresh && existsSync(path) ? path : undefined;
  } catch {
    return undefined;
  }
}

/** Changes whenever the file does. */
export function stampOf(path: string): string {
  const { size, mtimeMs } = statSync(`${root}${path}`);
  return `${size}:${mtimeMs}`;
}
