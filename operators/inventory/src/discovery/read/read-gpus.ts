import type { GpuFacts } from '@quartermaster/api/node-hardware';
import { readAmdGpus } from './read-amd.ts';
import { readNvidiaGpus } from './read-nvidia.ts';
import type { AskNvidiaTool } from './read-nvidia-tool.ts';
import { type PciGpu, readPciGpus } from './read-pci-gpus.ts';
import type { Readings } from './readings.ts';

/** Every GPU by PCI address. Undefined when the bus could not be read. */
export async function readGpus(readings: Readings, ask: AskNvidiaTool): Promise<readonly GpuFacts[] | undefined> {
  const cards = await readPciGpus(readings);
  if (cards === undefined) return undefined;
  const of = (vendorId: string): readonly PciGpu[] => cards.filter((card) => card.vendorId === vendorId);
  const others = cards.filter(({ vendorId }) => vendorId !== '10de' && vendorId !== '1002').map(plainFacts);
  const gpus = [...(await readNvidiaGpus(readings, of('10de'), ask)), ...(await readAmdGpus(readings, of('1002'))), ...others];
  return gpus.toSorted((a, b) => (a.pciAddress < b.pciAddress ? -1 : 1));
}

function plainFacts({ address, vendorId, productId, driver, numaNode }: PciGpu): GpuFacts {
  return {
    pciAddress: address,
    vendorId,
    productId,
    driver,
    numaNode,
    health: {
      state: 'unknown',
      reason: driver === undefined ? 'no driver is loaded for this card' : `the driver ${driver} reports no health`,
    },
  };
}
