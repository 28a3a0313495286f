import type { Gpu } from './hardware.ts';

/** What NVIDIA's driver and tool say of a model beyond what is in the catalog. */
export interface NvidiaModel {
  /** What is left of the memory for programs, in MiB. */
  readonly memoryMiB: number;
  readonly computeCapability: string;
  readonly maxWatts: number;
  /** Absent for cards without NVLink. */
  readonly nvlink?: { readonly links: number; readonly gigabytesPerSecond: string };
  /** Absent for cards that cannot be sliced. */
  readonly migProfiles?: readonly MigProfile[] | undefined;
}

export interface MigProfile {
  readonly name: string;
  readonly id: number;
  readonly instances: number;
  readonly memoryGiB: string;
  readonly multiprocessors: number;
}

export const driverVersion = '580.159.04';
export const cudaVersion = '13.0';

const profile = (name: string, id: number, instances: number, memoryGiB: string, multiprocessors: number): MigProfile => ({
  name,
  id,
  instances,
  memoryGiB,
  multiprocessors,
});

const hopper = (gigabytes: readonly [string, string, string, string], memory: readonly [string, string, string, string]): MigProfile[] => [
  profile(`1g.${gigabytes[0]}gb`, 19, 7, memory[0], 16),
  profile(`2g.${gigabytes[1]}gb`, 14, 3, memory[1], 32),
  profile(`3g.${gigabytes[2]}gb`, 9, 2, memory[2], 60),
  profile(`7g.${gigabytes[3]}gb`, 0, 1, memory[3], 132),
];

const ampere = (gigabytes: readonly [string, string, string, string], memory: readonly [string, string, string, string]): MigProfile[] => [
  profile(`1g.${gigabytes[0]}gb`, 19, 7, memory[0], 14),
  profile(`2g.${gigabytes[1]}gb`, 14, 3, memory[1], 28),
  profile(`3g.${gigabytes[2]}gb`, 9, 2, memory[2], 42),
  profile(`7g.${gigabytes[3]}gb`, 0, 1, memory[3], 98),
];

const h100Profiles = hopper(['10', '20', '40', '80'], ['9.75', '19.62', '39.50', '79.25']);
const a100Profiles80 = ampere(['10', '20', '40', '80'], ['9.50', '19.50', '39.25', '78.75']);
const a100Profiles40 = ampere(['5', '10', '20', '40'], ['4.75', '9.75', '19.62', '39.38']);
const nvlink4 = { links: 18, gigabytesPerSecond: '26.562' };
const nvlink3 = { links: 12, gigabytesPerSecond: '25' };
const nvlink2 = { links: 6, gigabytesPerSecond: '25.781' };

// PCI device id -> what the driver says of the model
const models: ReadonlyMap<string, NvidiaModel> = new Map<string, NvidiaModel>([
  [
    '2335',
    {
      memoryMiB: 143_771,
      computeCapability: '9.0',
      maxWatts: 700,
      nvlink: nvlink4,
      migProfiles: hopper(['18', '35', '71', '141'], ['16.00', '32.50', '69.75', '140.00']),
    },
  ],
  ['2330', { memoryMiB: 81_559, computeCapability: '9.0', maxWatts: 700, nvlink: nvlink4, migProfiles: h100Profiles }],
  ['2331', { memoryMiB: 81_559, computeCapability: '9.0', maxWatts: 350, migProfiles: h100Profiles }],
  ['20b2', { memoryMiB: 81_920, computeCapability: '8.0', maxWatts: 400, nvlink: nvlink3, migProfiles: a100Profiles80 }],
  ['20b0', { memoryMiB: 40_960, computeCapability: '8.0', maxWatts: 400, nvlink: nvlink3, migProfiles: a100Profiles40 }],
  ['20b5', { memoryMiB: 81_920, computeCapability: '8.0', maxWatts: 300, migProfiles: a100Profiles80 }],
  ['20f1', { memoryMiB: 40_960, computeCapability: '8.0', maxWatts: 250, migProfiles: a100Profiles40 }],
  ['2235', { memoryMiB: 46_068, computeCapability: '8.6', maxWatts: 300 }],
  ['2230', { memoryMiB: 49_140, computeCapability: '8.6', maxWatts: 300 }],
  ['2684', { memoryMiB: 24_564, computeCapability: '8.9', maxWatts: 450 }],
  ['2204', { memoryMiB: 24_576, computeCapability: '8.6', maxWatts: 350 }],
  ['1db5', { memoryMiB: 32_768, computeCapability: '7.0', maxWatts: 300, nvlink: nvlink2 }],
  ['1eb8', { memoryMiB: 15_360, computeCapability: '7.5', maxWatts: 70 }],
]);

/** For a card that is not in the table: its memory as the catalog has it, and nothing that only some cards can. */
export function nvidiaModel({ deviceId, memoryGiB }: Gpu): NvidiaModel {
  return models.get(deviceId) ?? { memoryMiB: memoryGiB * 1024, computeCapability: '7.0', maxWatts: 250 };
}
