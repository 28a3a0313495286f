import type { GpuFacts, GpuHealth } from '@quartermaster/api/node-hardware';
import { withoutJunk } from '../parse/junk-text.ts';
import { wholeNumber } from '../parse/nvidia-smi.ts';
import type { PciGpu } from './read-pci-gpus.ts';
import type { Readings } from './readings.ts';

/** AMD's driver tells everything in the card's own folder of sysfs, so no tool is needed. */
export async function readAmdGpus(readings: Readings, cards: readonly PciGpu[]): Promise<readonly GpuFacts[]> {
  if (cards.length === 0) return [];
  // The driver that comes with the kernel has no version of its own.
  const version = withoutJunk(await readings.text('/sys/module/amdgpu/version'));
  const gpus: GpuFacts[] = [];
  for (const card of cards) gpus.push(await readAmdGpu(readings, card, version));
  return gpus;
}

async function readAmdGpu(readings: Readings, card: PciGpu, version: string | undefined): Promise<GpuFacts> {
  const { folder } = card;
  const memoryBytes = wholeNumber((await readings.text(`${folder}/mem_info_vram_total`))?.trim());
  const id = /^\s*([0-9a-f]{8,32})\s*$/i.exec((await readings.quietText(`${folder}/unique_id`)) ?? '')?.[1]?.toLowerCase();
  const name = withoutJunk(await readings.quietText(`${folder}/product_name`));
  const driver = card.driver ?? (memoryBytes === undefined ? undefined : 'amdgpu');
  return {
    pciAddress: card.address,
    vendorId: card.vendorId,
    productId: card.productId,
    uuid: id === undefined || /^0+$/.test(id) ? undefined : `GPU-${id}`,
    name,
    memoryBytes: memoryBytes === 0 ? undefined : memoryBytes,
    interface: /\bOAM\b/.test(name ?? '') ? 'OAM' : undefined,
    driver,
    driverVersion: driver === 'amdgpu' ? version : undefined,
    numaNode: card.numaNode,
    health: await readAmdHealth(readings, card, driver, memoryBytes),
  };
}

async function readAmdHealth(
  readings: Readings,
  { folder }: PciGpu,
  driver: string | undefined,
  memoryBytes: number | undefined,
): Promise<GpuHealth> {
  if (driver === undefined) return { state: 'unknown', reason: 'no driver is loaded for this card' };
  if (driver !== 'amdgpu') return { state: 'unknown', reason: `the card belongs to the driver ${driver}` };
  if (memoryBytes === undefined) return { state: 'unhealthy', reason: 'the driver amdgpu reports no memory for this card' };
  // Reliability counters of each block of the chip: `ue` are the errors that could not be corrected.
  for (const name of (await readings.names(`${folder}/ras`)) ?? []) {
    if (!name.endsWith('_err_count')) continue;
    const errors = Number(/^ue:\s*(\d{1,15})\s*$/m.exec((await readings.quietText(`${folder}/ras/${name}`)) ?? '')?.[1] ?? '0');
    if (errors > 0) return { state: 'unhealthy', reason: `${errors} uncorrected errors in ${name.replace('_err_count', '')}` };
  }
  return { state: 'healthy' };
}
