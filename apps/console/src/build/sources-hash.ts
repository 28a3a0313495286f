import { createHash } from 'node:crypto';
import { globSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The package folder of the console. */
export const packageFolder = join(import.meta.dirname, '../..');

/** A short name for everything that the built page depends on: its sources, the kernel's, those of the views that it shares with the inventory, and the versions of its packages. */
export async function sourcesHash(): Promise<string> {
  const folderOf = (module: string): string => dirname(fileURLToPath(import.meta.resolve(module)));
  const shared = [folderOf('@quartermaster/kernel'), folderOf('@quartermaster/api/inventory-views')];
  const files = [
    join(packageFolder, 'package.json'),
    ...filesUnder(join(packageFolder, 'src')),
    ...shared.flatMap(filesUnder).filter((file) => file.endsWith('.ts')),
  ];
  const hash = createHash('sha256');
  for (const file of files) {
    const content = await readFile(file);
    hash.update(`${relative(packageFolder, file)}\0${content.length}\0`).update(content);
  }
  return hash.digest('hex').slice(0, 16);
}

function filesUnder(folder: string): string[] {
  return globSync('**/*.{ts,tsx,css,html,svg}', { cwd: folder })
    .filter((name) => !name.endsWith('.test.ts'))
    .toSorted()
    .map((name) => join(folder, name));
}
