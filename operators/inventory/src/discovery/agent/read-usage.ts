import type { GpuFacts } from '@quartermaster/api/node-hardware';
import type { MachineReader } from '../machine/machine-reader.ts';
import { wholeNumber } from '../parse/nvidia-smi.ts';
import { type GpuUsage, parseUsage, usageQueryFields } from '../parse/utilization.ts';
import { Readings } from '../read/readings.ts';

/** How busy the GPUs are right now. A card that does not tell is not in the answer; nothing throws except an aborted signal. */
export async function readUsage(reader: MachineReader, gpus: readonly GpuFacts[], signal?: AbortSignal): Promise<readonly GpuUsage[]> {
  const readings = new Readings(reader, signal);
  const hasNvidia = gpus.some(({ vendorId, driver }) => vendorId === '10de' && driver === 'nvidia');
  const query = [`--query-gpu=${usageQueryFields.join(',')}`, '--format=csv,noheader,nounits'];
  const usage = hasNvidia ? parseUsage(await readings.toolText('nvidia-smi', query)) : [];
  for (const { vendorId, uuid, pciAddress } of gpus) {
    if (vendorId === '1002' && uuid !== undefined) usage.push(await readAmdUsage(readings, uuid, pciAddress));
  }
  return usage;
}

async function readAmdUsage(readings: Readings, uuid: string, address: string): Promise<GpuUsage> {
  const folder = `/sys/bus/pci/devices/${address}`;
  const percent = wholeNumber((await readings.quietText(`${folder}/gpu_busy_percent`))?.trim());
  const memoryUsedBytes = wholeNumber((await readings.quietText(`${folder}/mem_info_vram_used`))?.trim());
  return { uuid, utilizationPercent: percent && Math.min(percent, 100), memoryUsedBytes };
}
