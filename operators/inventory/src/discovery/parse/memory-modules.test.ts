import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { memoryDevice, smbiosStructure } from '../../../test/machines/memory-machine.ts';
import { parseMemoryModules } from './memory-modules.ts';
import { parseSmbios } from './smbios.ts';

const module = { slot: 'DIMM_A1', sizeMiB: 16_384, type: 0x1a, speed: 3200, manufacturer: 'Hynix' };
const table = (...parts: readonly Uint8Array[]): Uint8Array => Uint8Array.from(parts.flatMap((part) => [...part]));

describe('parseMemoryModules', () => {
  it('reads size, type, running speed, slot and maker', () => {
    expect(parseMemoryModules(memoryDevice(1, module))).toEqual([
      { slot: 'DIMM_A1', type: 'DDR4', sizeBytes: 16 * 2 ** 30, speedMtps: 3200, manufacturer: 'Hynix' },
    ]);
  });

  it('reads modules whose size does not fit into the old field', () => {
    expect(parseMemoryModules(memoryDevice(1, { ...module, sizeMiB: 131_072 }))[0]?.sizeBytes).toBe(128 * 2 ** 30);
  });

  it('leaves out empty slots and placeholders, and steps over other structures', () => {
    const bytes = table(
      smbiosStructure(1, 0, [1, 2], ['Maker', 'Product']),
      memoryDevice(1, { ...module, sizeMiB: 0 }),
      smbiosStructure(32, 2, [0, 0], []),
      memoryDevice(3, { ...module, manufacturer: 'Not Specified' }),
      smbiosStructure(127, 4, [], []),
      memoryDevice(5, module),
    );
    expect(parseMemoryModules(bytes)).toEqual([{ slot: 'DIMM_A1', type: 'DDR4', sizeBytes: 16 * 2 ** 30, speedMtps: 3200 }]);
  });

  it('reads the tables of old firmware, which are shorter', () => {
    const short = memoryDevice(1, module).slice();
    const formatted = [...short.slice(4, 0x15)];
    expect(parseMemoryModules(smbiosStructure(17, 1, formatted, ['DIMM_A1', 'Hynix']))).toEqual([
      { slot: 'DIMM_A1', type: 'DDR4', sizeBytes: 16 * 2 ** 30 },
    ]);
  });

  it('survives any bytes and any cut through a good table', () => {
    const good = table(...Array.from({ length: 8 }, (_, index) => memoryDevice(index, module)), smbiosStructure(127, 9, [], []));
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 400 }), (bytes) => {
        for (const { sizeBytes } of parseMemoryModules(bytes)) expect(Number.isSafeInteger(sizeBytes) && sizeBytes > 0).toBe(true);
      }),
    );
    fc.assert(
      fc.property(fc.nat(good.length), (length) => {
        expect(parseMemoryModules(good.subarray(0, length)).length).toBeLessThanOrEqual(8);
        expect(parseSmbios(good.subarray(0, length)).length).toBeLessThanOrEqual(9);
      }),
    );
    expect(parseMemoryModules(good)).toHaveLength(8);
  });
});
