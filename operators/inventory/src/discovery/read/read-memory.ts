import type { MemoryFacts, MemoryModule } from '@quartermaster/api/node-hardware';
import { withoutJunk } from '../parse/junk-text.ts';
import { parseMemInfo, parseMemoryModules } from '../parse/memory-modules.ts';
import type { Readings } from './readings.ts';

export async function readMemory(readings: Readings): Promise<MemoryFacts | undefined> {
  const totalBytes = parseMemInfo((await readings.text('/proc/meminfo')) ?? '');
  if (totalBytes === undefined) {
    readings.problem('/proc/meminfo does not say MemTotal: the memory is unknown');
    return undefined;
  }
  const modules = await readModules(readings);
  return { totalBytes, modules: modules.length === 0 ? undefined : modules };
}

/** The firmware knows more than the memory controllers, which know sizes and labels at least. */
async function readModules(readings: Readings): Promise<readonly MemoryModule[]> {
  const table = await readings.bytes('/sys/firmware/dmi/tables/DMI');
  const modules = table === undefined ? [] : parseMemoryModules(table);
  return modules.length > 0 ? modules : await readEdac(readings);
}

async function readEdac(readings: Readings): Promise<readonly MemoryModule[]> {
  const folder = '/sys/devices/system/edac/mc';
  const modules: MemoryModule[] = [];
  for (const controller of (await readings.names(folder)) ?? []) {
    if (!/^mc\d+$/.test(controller)) continue;
    for (const name of (await readings.names(`${folder}/${controller}`)) ?? []) {
      if (!/^(dimm|rank)\d+$/.test(name)) continue;
      const module = await readEdacModule(readings, `${folder}/${controller}/${name}`);
      if (module !== undefined) modules.push(module);
    }
  }
  return modules;
}

async function readEdacModule(readings: Readings, folder: string): Promise<MemoryModule | undefined> {
  const mebibytes = Number(/^\s*(\d{1,9})\s*$/.exec((await readings.text(`${folder}/size`)) ?? '')?.[1] ?? '0');
  if (mebibytes === 0) return undefined;
  const slot = withoutJunk(await readings.quietText(`${folder}/dimm_label`));
  const type = /(?:LP)?DDR\d?|HBM\d?/i.exec((await readings.quietText(`${folder}/dimm_mem_type`)) ?? '')?.[0]?.toUpperCase();
  return { sizeBytes: mebibytes * 2 ** 20, slot, type };
}
