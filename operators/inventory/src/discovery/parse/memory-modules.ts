import type { MemoryModule } from '@quartermaster/api/node-hardware';
import { withoutJunk } from './junk-text.ts';
import { byteAt, doubleWordAt, parseSmbios, type SmbiosStructure, textAt, wordAt } from './smbios.ts';

const memoryDevice = 17;

// code of SMBIOS -> name
const types: ReadonlyMap<number, string> = new Map([
  [0x12, 'DDR'],
  [0x13, 'DDR2'],
  [0x18, 'DDR3'],
  [0x1a, 'DDR4'],
  [0x1b, 'LPDDR'],
  [0x1c, 'LPDDR2'],
  [0x1d, 'LPDDR3'],
  [0x1e, 'LPDDR4'],
  [0x20, 'HBM'],
  [0x21, 'HBM2'],
  [0x22, 'DDR5'],
  [0x23, 'LPDDR5'],
  [0x24, 'HBM3'],
]);

/** The memory modules in the firmware's table, without empty slots, in its order. */
export function parseMemoryModules(table: Uint8Array): MemoryModule[] {
  return parseSmbios(table).flatMap((structure) => (structure.type === memoryDevice ? (moduleOf(structure) ?? []) : []));
}

function moduleOf(structure: SmbiosStructure): MemoryModule | undefined {
  const sizeBytes = sizeOf(structure);
  if (sizeBytes === undefined) return undefined;
  return {
    sizeBytes,
    slot: withoutJunk(textAt(structure, 0x10)),
    type: types.get(byteAt(structure, 0x12)),
    speedMtps: speedOf(structure),
    manufacturer: withoutJunk(textAt(structure, 0x17)),
  };
}

/** In MiB, or in KiB with the highest bit; 0x7fff refers to a field that later versions added, 0 and 0xffff say that there is nothing. */
function sizeOf(structure: SmbiosStructure): number | undefined {
  const short = wordAt(structure, 0x0c);
  if (short === 0 || short === 0xffff) return undefined;
  if ((short & 0x8000) !== 0) return (short & 0x7fff) * 1024;
  const mebibytes = short === 0x7fff ? doubleWordAt(structure, 0x1c) & 0x7fffffff : short;
  return mebibytes === 0 ? undefined : mebibytes * 2 ** 20;
}

/** What it runs at, which may be less than what it could. */
function speedOf(structure: SmbiosStructure): number | undefined {
  const [configured, rated] = [
    [0x20, 0x58],
    [0x15, 0x54],
  ].map(([short = 0, long = 0]) => {
    const said = wordAt(structure, short);
    return said === 0xffff ? doubleWordAt(structure, long) & 0x7fffffff : said;
  });
  const speed = configured === 0 ? rated : configured;
  return speed === undefined || speed === 0 ? undefined : speed;
}

/** The memory that the kernel manages, in bytes, as /proc/meminfo says; undefined when it does not. */
export function parseMemInfo(text: string): number | undefined {
  const kibibytes = Number(/^MemTotal:\s+(\d{1,15})\s+kB\s*$/m.exec(text)?.[1] ?? Number.NaN);
  const bytes = kibibytes * 1024;
  return Number.isSafeInteger(bytes) && bytes > 0 ? bytes : undefined;
}
