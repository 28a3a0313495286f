import type { CpuFacts } from '@quartermaster/api/node-hardware';
import { parseCpuInfo, type ThreadPlace } from '../parse/cpu-info.ts';
import type { Readings } from './readings.ts';

/** `architecture` is that of this process, for processors that do not say. */
export async function readCpu(readings: Readings, architecture: string | undefined): Promise<CpuFacts | undefined> {
  const text = await readings.text('/proc/cpuinfo');
  if (text === undefined) {
    readings.problem('/proc/cpuinfo could not be read: the processors are unknown');
    return undefined;
  }
  const places = /^physical id\s*:/m.test(text) ? undefined : await readPlaces(readings);
  const facts = parseCpuInfo(text, { places, architecture });
  if (facts === undefined) readings.problem('/proc/cpuinfo names no processor');
  return facts;
}

async function readPlaces(readings: Readings): Promise<ReadonlyMap<string, ThreadPlace>> {
  const folder = '/sys/devices/system/cpu';
  const places = new Map<string, ThreadPlace>(); // thread -> place
  for (const name of (await readings.names(folder)) ?? []) {
    const thread = /^cpu(\d{1,6})$/.exec(name)?.[1];
    if (thread === undefined) continue;
    const socket = (await readings.quietText(`${folder}/${name}/topology/physical_package_id`))?.trim();
    const core = (await readings.quietText(`${folder}/${name}/topology/core_id`))?.trim();
    // Machines that do not know their sockets say -1: then there is one.
    if (socket !== undefined && core !== undefined) places.set(thread, { socket: /^\d{1,6}$/.test(socket) ? socket : '0', core });
  }
  return places;
}
