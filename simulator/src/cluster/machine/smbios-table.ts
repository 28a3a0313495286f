import type { MemoryModule } from './hardware.ts';

const memoryDevice = 17;
const endOfTable = 127;
const ddr5 = 0x22;
/** Sizes from here on do not fit the field that was there first. */
const extendedFromMiB = 0x7fff;

/** The firmware's table of memory modules (SMBIOS 3.2), as /sys/firmware/dmi/tables/DMI holds it. */
export function smbiosTable(modules: readonly MemoryModule[]): Uint8Array {
  const devices = modules.map((module, index) => structure(memoryDevice, 0x1100 + index, memoryFields(module), textsOf(module)));
  return Buffer.concat([...devices, structure(endOfTable, 0x7f00, Buffer.alloc(0), [])]);
}

const textsOf = ({ slot, manufacturer, serial }: MemoryModule): readonly string[] => [slot, manufacturer, serial];

/** What follows the four bytes that every structure begins with; texts are named by their number, from 1. */
function memoryFields({ sizeGiB, speedMtps }: MemoryModule): Buffer {
  const headerBytes = 4;
  const fields = Buffer.alloc(0x28 - headerBytes);
  const sizeMiB = sizeGiB * 1024;
  const word = (offset: number, value: number): void => void fields.writeUInt16LE(value, offset - headerBytes);
  word(0x08, 72);
  word(0x0a, 64);
  word(0x0c, Math.min(sizeMiB, extendedFromMiB));
  fields[0x10 - headerBytes] = 1;
  fields[0x12 - headerBytes] = ddr5;
  word(0x15, speedMtps);
  fields[0x17 - headerBytes] = 2;
  fields[0x18 - headerBytes] = 3;
  fields.writeUInt32LE(sizeMiB, 0x1c - headerBytes);
  word(0x20, speedMtps);
  return fields;
}

function structure(type: number, handle: number, fields: Buffer, texts: readonly string[]): Buffer {
  const header = Buffer.from([type, 4 + fields.length, handle & 255, handle >> 8]);
  // The texts end with an empty one; where there are none, two zeros stand for them.
  const end = texts.length === 0 ? '\0\0' : `${texts.join('\0')}\0\0`;
  return Buffer.concat([header, fields, Buffer.from(end, 'latin1')]);
}
