import { readFile } from 'node:fs/promises';
import { type PciNames, parsePciIds } from '../gpu/pci-ids.ts';

const usualPlaces = ['/usr/share/misc/pci.ids', '/usr/share/hwdata/pci.ids', '/usr/share/pci.ids'];

/** The names of the operating system's own database; empty where there is none: names are the last resort. */
export async function readPciNames(places: readonly string[] = usualPlaces): Promise<PciNames> {
  for (const place of places) {
    try {
      return parsePciIds(await readFile(place, 'utf8'));
    } catch {
      // Not here: the next place.
    }
  }
  return new Map();
}
