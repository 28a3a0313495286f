/** Boards that exist only on NVLink baseboards, though their names do not say so. Their PCIe sisters are called NVL or PCIe. */
const baseboardOnly = /\b(H100 \d+GB HBM\d\w?|H800|H200|H20|B100|B200|B300|GB\d00)\b/;

/** How a card is built in, as far as the driver's name for it tells: `SXM4`, `SXM`, `PCIe`. */
export function gpuInterface(name: string | undefined): string | undefined {
  if (name === undefined) return undefined;
  const sxm = /\bSXM\d?\b/i.exec(name)?.[0];
  if (sxm !== undefined) return sxm.toUpperCase();
  if (/\bPCIE\b|\bNVL\b/i.test(name)) return 'PCIe';
  return baseboardOnly.test(name) ? 'SXM' : undefined;
}
