import { hexId, isAccelerator, type PciDevice, pciAddress } from '../parse/pci.ts';
import type { Readings } from './readings.ts';

export interface PciGpu extends PciDevice {
  readonly folder: string;
  /** The kernel driver that has the card now. */
  readonly driver?: string | undefined;
  readonly numaNode?: number | undefined;
}

const bus = '/sys/bus/pci/devices';

/** GPUs by what the PCI bus shows, with or without a driver. Undefined when the bus could not be read. */
export async function readPciGpus(readings: Readings): Promise<readonly PciGpu[] | undefined> {
  const names = await readings.names(bus);
  if (names === undefined) {
    // A machine without a PCI bus has no such folder, and no GPU on it either.
    if ((await readings.names('/sys/bus')) !== undefined && !(await readings.exists('/sys/bus/pci'))) return [];
    readings.problem(`${bus} could not be read: the GPUs are unknown`);
    return undefined;
  }
  const gpus: PciGpu[] = [];
  for (const name of names) {
    const gpu = await readPciGpu(readings, name);
    if (gpu !== undefined) gpus.push(gpu);
  }
  return gpus;
}

async function readPciGpu(readings: Readings, name: string): Promise<PciGpu | undefined> {
  const folder = `${bus}/${name}`;
  const address = pciAddress(name);
  const code = hexId(await readings.text(`${folder}/class`), 6);
  if (address === undefined || code === undefined || !/^(03|12)/.test(code)) return undefined;
  const vendorId = hexId(await readings.text(`${folder}/vendor`), 4);
  const productId = hexId(await readings.text(`${folder}/device`), 4);
  if (vendorId === undefined || productId === undefined) {
    readings.problem(`${folder} is a GPU of unknown make: its vendor and device files are broken`);
    return undefined;
  }
  const device: PciDevice = { address, vendorId, productId, class: code };
  // A virtual function is a share of a card that is listed itself.
  if (!isAccelerator(device) || (await readings.exists(`${folder}/physfn`))) return undefined;
  const driver = await readings.linkName(`${folder}/driver`);
  const numaNode = Number(/^\s*(\d{1,4})\s*$/.exec((await readings.quietText(`${folder}/numa_node`)) ?? '')?.[1] ?? '-1');
  return { ...device, folder, driver, numaNode: numaNode < 0 ? undefined : numaNode };
}
