/** Lower-case hex of so many digits out of a sysfs text such as `0x10de`; undefined when it is none. */
export function hexId(text: string | undefined, digits: number): string | undefined {
  const found = /^\s*0x([0-9a-f]{1,8})\s*$/i.exec(text ?? '')?.[1]?.toLowerCase();
  return found === undefined || found.length > digits ? undefined : found.padStart(digits, '0');
}

const form = /^([0-9a-f]{4,8}):([0-9a-f]{2}):([0-9a-f]{2})\.([0-7])$/i;

/** A PCI address as sysfs writes it. NVIDIA's tools give the domain eight digits. */
export function pciAddress(text: string | undefined): string | undefined {
  const [, domain, bus, device, part] = form.exec(text?.trim() ?? '') ?? [];
  if (domain === undefined) return undefined;
  const short = domain.replace(/^0+/, '').padStart(4, '0');
  return `${short}:${bus}:${device}.${part}`.toLowerCase();
}

/** The PCI device nearest to what a path of sysfs names: a network card's own, though a virtio device lies between. */
export function pciAddressInPath(path: string): string | undefined {
  return path
    .split('/')
    .map(pciAddress)
    .findLast((found) => found !== undefined);
}

export interface PciDevice {
  readonly address: string;
  readonly vendorId: string;
  readonly productId: string;
  /** Six hex digits. */
  readonly class: string;
}

/** Vendors whose display adapters are consoles of a board controller or of a hypervisor, and compute nothing. */
const consoleVendors = new Set(['1013', '102b', '1234', '126f', '1414', '15ad', '18ca', '1a03', '1af4', '1b36', '5333', '80ee']);

/**
 * Whether a device is a GPU or another accelerator to sell: display controllers (class 03) and processing accelerators (12), whatever driver they
 * have, but neither a console nor the graphics inside a processor of Intel, which is always at this address.
 */
export function isAccelerator({ class: code, vendorId, address }: PciDevice): boolean {
  if (!/^(03|12)/.test(code) || consoleVendors.has(vendorId)) return false;
  return !(vendorId === '8086' && code.startsWith('03') && address === '0000:00:02.0');
}
