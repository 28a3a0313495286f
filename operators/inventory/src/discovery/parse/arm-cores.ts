// implementer -> vendor
const vendors: ReadonlyMap<string, string> = new Map([
  ['0x41', 'ARM'],
  ['0x42', 'Broadcom'],
  ['0x43', 'Cavium'],
  ['0x46', 'Fujitsu'],
  ['0x48', 'HiSilicon'],
  ['0x4e', 'NVIDIA'],
  ['0x50', 'Ampere'],
  ['0x51', 'Qualcomm'],
  ['0x61', 'Apple'],
  ['0x6d', 'Microsoft'],
  ['0xc0', 'Ampere'],
]);

// implementer/part -> core
const cores: ReadonlyMap<string, string> = new Map([
  ['0x41/0xd03', 'Cortex-A53'],
  ['0x41/0xd05', 'Cortex-A55'],
  ['0x41/0xd07', 'Cortex-A57'],
  ['0x41/0xd08', 'Cortex-A72'],
  ['0x41/0xd0b', 'Cortex-A76'],
  ['0x41/0xd0c', 'Neoverse-N1'],
  ['0x41/0xd40', 'Neoverse-V1'],
  ['0x41/0xd42', 'Cortex-A78AE'],
  ['0x41/0xd49', 'Neoverse-N2'],
  ['0x41/0xd4f', 'Neoverse-V2'],
  ['0x41/0xd83', 'Neoverse-V3AE'],
  ['0x41/0xd84', 'Neoverse-V3'],
  ['0x41/0xd8e', 'Neoverse-N3'],
  ['0x43/0x0af', 'ThunderX2'],
  ['0x46/0x001', 'A64FX'],
  ['0x48/0xd01', 'Kunpeng-920'],
  ['0x4e/0x004', 'Carmel'],
  ['0x61/0x022', 'Icestorm-M1'],
  ['0x61/0x023', 'Firestorm-M1'],
  ['0x6d/0xd49', 'Azure-Cobalt-100'],
  ['0xc0/0xac3', 'Ampere-1'],
  ['0xc0/0xac4', 'Ampere-1a'],
]);

/** The names behind the two numbers by which an arm core identifies itself (MIDR). An unknown one keeps its numbers. */
export function armCore(
  implementer: string | undefined,
  part: string | undefined,
): { readonly vendor: string; readonly model: string } | undefined {
  if (implementer === undefined) return undefined;
  const who = implementer.toLowerCase();
  const what = part?.toLowerCase() ?? '';
  return { vendor: vendors.get(who) ?? who, model: cores.get(`${who}/${what}`) ?? (what === '' ? '' : `part ${what}`) };
}
