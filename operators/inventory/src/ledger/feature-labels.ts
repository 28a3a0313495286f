/** Vendor id -> the resource by which its device plugin offers whole cards. */
const plugins: ReadonlyMap<string, string> = new Map([
  ['10de', 'nvidia.com/gpu'],
  ['1002', 'amd.com/gpu'],
]);

/** `pci-0302_10de.present`, or `pci-10de.present` as the GPU operator configures it. Class 03: display, 12: processing accelerators. */
const pciLabel = /^feature\.node\.kubernetes\.io\/pci-(?:(?:03|12)[0-9a-f]{2}_)?([0-9a-f]{4})(?:_[^.]*)?\.present$/;

/** Resources that a node should offer for the cards that Node Feature Discovery has seen on its bus. */
export function expectedGpuResources(labels: Readonly<Record<string, string>>): readonly string[] {
  const found = new Set<string>();
  for (const [key, value] of Object.entries(labels)) {
    const resource = plugins.get(pciLabel.exec(key)?.[1] ?? '');
    if (value === 'true' && resource !== undefined) found.add(resource);
  }
  return [...found].sort();
}
