import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { StatusError } from '@quartermaster/kernel';
import { readNamedFile } from '../../files/named-file.ts';
import { byWritingOrder } from '../kinds/kinds.ts';
import { type FileDocument, parseDocuments } from './file-document.ts';

/** The objects of files, of all YAML and JSON files of folders, and of `-`, standard input; sorted so that references lead to what is there already. */
export function readFiles(paths: readonly string[]): readonly FileDocument[] {
  if (paths.length === 0) throw new StatusError('invalid_argument', 'name a file with -f FILE, or - for standard input');
  const documents = paths.flatMap(filesOf).flatMap((path) => {
    const { text, source } = readNamedFile(path);
    return parseDocuments(text, source);
  });
  if (documents.length === 0) throw new StatusError('invalid_argument', `${paths.join(', ')} is empty`);
  return documents.toSorted((a, b) => byWritingOrder(a.kind, b.kind));
}

function filesOf(path: string): readonly string[] {
  if (path === '-') return [path];
  const isFolder = statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  if (!isFolder) return [path];
  return readdirSync(path)
    .filter((name) => /\.(ya?ml|json)$/.test(name))
    .toSorted()
    .map((name) => join(path, name));
}
