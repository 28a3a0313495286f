import type { NicFacts } from '@quartermaster/api/node-hardware';
import { nicOf } from '../parse/network-interface.ts';
import { pciAddressInPath } from '../parse/pci.ts';
import type { Readings } from './readings.ts';

/**
 * Network cards: interfaces with a device behind them. Loopback, bridges, tunnels and the ends of pods have none; virtual functions of a card are
 * parts of it. Undefined when the kernel's list could not be read.
 */
export async function readNics(readings: Readings): Promise<readonly NicFacts[] | undefined> {
  const names = await readings.names('/sys/class/net');
  if (names === undefined) {
    readings.problem('/sys/class/net could not be read: the network cards are unknown');
    return undefined;
  }
  const rdma = await readRdmaDevices(readings);
  const nics: NicFacts[] = [];
  for (const name of names) {
    const folder = `/sys/class/net/${name}`;
    const hasDevice = name !== 'lo' && (await readings.exists(`${folder}/device`));
    if (!hasDevice || (await readings.exists(`${folder}/device/physfn`))) continue;
    const nic = await readNic(readings, name, rdma);
    if (nic !== undefined) nics.push(nic);
  }
  return nics;
}

async function readNic(readings: Readings, name: string, rdma: ReadonlyMap<string, string>): Promise<NicFacts | undefined> {
  const folder = `/sys/class/net/${name}`;
  const device = await readings.link(`${folder}/device`);
  const pciAddress = pciAddressInPath(device ?? '') ?? pciAddressInPath((await readings.link(folder)) ?? '');
  const ownRdma = (await readings.names(`${folder}/device/infiniband`))?.[0];
  return nicOf({
    name,
    address: await readings.text(`${folder}/address`),
    permanentAddress: await readings.quietText(`${folder}/bonding_slave/perm_hwaddr`),
    speed: await readings.quietText(`${folder}/speed`),
    state: await readings.quietText(`${folder}/operstate`),
    pciAddress,
    driver: await readings.linkName(`${folder}/device/driver`),
    rdmaDevice: ownRdma ?? (pciAddress === undefined ? undefined : rdma.get(pciAddress)),
  });
}

/** PCI address -> RDMA device, the first by name where a card has several. */
async function readRdmaDevices(readings: Readings): Promise<ReadonlyMap<string, string>> {
  const devices = new Map<string, string>();
  for (const name of (await readings.names('/sys/class/infiniband')) ?? []) {
    const folder = `/sys/class/infiniband/${name}`;
    const address =
      pciAddressInPath((await readings.link(`${folder}/device`)) ?? '') ?? pciAddressInPath((await readings.link(folder)) ?? '');
    if (address !== undefined && !devices.has(address)) devices.set(address, name);
  }
  return devices;
}
