import { readFile } from 'node:fs/promises';
import { type PciNames, parsePciIds } from '../gpu/pci-ids.ts';

const pciIdFiles = ['/usr/share/misc/pci.ids', '/usr/share/hwdata/pci.ids', '/usr/share/pci.ids'];

export interface ReadPciNames {
  readonly names: PciNames;
  /** Why there are none, or undefined. */
  readonly problem: string | undefined;
}

/** The names of the operating system's own database, from the first of the files that has any. */
export async function readPciNames(files: readonly string[] = pciIdFiles): Promise<ReadPciNames> {
  for (const file of files) {
    const names = await readFile(file, 'utf8').then(parsePciIds, () => undefined);
    if (names !== undefined && names.size > 0) return { names, problem: undefined };
  }
  const problem = `no pci.ids with names of GPUs is at ${files.join(', ')}: cards that neither the database nor a driver names are sold as unknown-<vendor>-<product>; install the package pci.ids or hwdata`;
  return { names: new Map(), problem };
}
