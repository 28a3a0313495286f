/** PCI vendor and product id, four lower-case hex digits each and a colon between -> product name. */
export type PciNames = ReadonlyMap<string, string>;

/** Vendors whose products can be GPUs; the file names tens of thousands of other devices. */
const gpuVendors = new Set(['10de', '1002', '8086']);

/** Reads the names of GPU vendors' products from the text of a `pci.ids` file. What is not as expected is skipped: names are the last resort. */
export function parsePciIds(text: string): PciNames {
  const names = new Map<string, string>();
  let vendor: string | undefined;
  for (const line of text.split('\n')) {
    if (line.startsWith('#') || line.startsWith('\t\t')) continue;
    const [, indent = '', id = '', name = ''] = /^(\t?)([0-9a-f]{4}) {2}(.+?)\s*$/.exec(line) ?? [];
    if (id === '') {
      // Classes follow the vendors, in the same form.
      if (line.startsWith('C ')) break;
    } else if (indent === '') vendor = gpuVendors.has(id) ? id : undefined;
    else if (vendor !== undefined) names.set(`${vendor}:${id}`, name);
  }
  return names;
}
