import { StatusError } from '@quartermaster/kernel';

export interface CpuModel {
  readonly vendor: 'AuthenticAMD' | 'GenuineIntel';
  readonly name: string;
  readonly family: number;
  readonly model: number;
  readonly cores: number;
  readonly threadsPerCore: number;
  readonly mhz: number;
}

export interface GpuModel {
  readonly vendor: 'nvidia' | 'amd';
  /** PCI vendor and device ids, four lower-case hexadecimal digits. */
  readonly vendorId: string;
  readonly deviceId: string;
  readonly model: string;
  /** As NVIDIA's and AMD's own tools print it. */
  readonly productName: string;
  readonly interface: string;
  readonly memoryGiB: number;
}

const cpu = (vendor: CpuModel['vendor'], name: string, family: number, model: number, cores: number, mhz: number): CpuModel => ({
  vendor,
  name,
  family,
  model,
  cores,
  threadsPerCore: 2,
  mhz,
});

// short name -> model
const cpuModels: ReadonlyMap<string, CpuModel> = new Map([
  ['epyc-9654', cpu('AuthenticAMD', 'AMD EPYC 9654 96-Core Processor', 25, 17, 96, 2400)],
  ['epyc-7763', cpu('AuthenticAMD', 'AMD EPYC 7763 64-Core Processor', 25, 1, 64, 2450)],
  ['epyc-7402', cpu('AuthenticAMD', 'AMD EPYC 7402 24-Core Processor', 23, 49, 24, 2800)],
  ['xeon-8480', cpu('GenuineIntel', 'Intel(R) Xeon(R) Platinum 8480+', 6, 143, 56, 2000)],
  ['xeon-6130', cpu('GenuineIntel', 'Intel(R) Xeon(R) Gold 6130 CPU @ 2.10GHz', 6, 85, 16, 2100)],
]);

const gpu =
  (vendor: GpuModel['vendor'], vendorId: string) =>
  (deviceId: string, model: string, productName: string, form: string, memoryGiB: number): GpuModel => ({
    ...{ vendor, vendorId, deviceId, model, productName, memoryGiB },
    interface: form,
  });
const nvidia = gpu('nvidia', '10de');
const amd = gpu('amd', '1002');

/** Models that differ only in interface or memory are told apart by those; the first of a name is the one meant without them. */
const gpuModels: readonly GpuModel[] = [
  nvidia('2335', 'h200', 'NVIDIA H200', 'SXM5', 141),
  nvidia('2330', 'h100', 'NVIDIA H100 80GB HBM3', 'SXM5', 80),
  nvidia('2331', 'h100', 'NVIDIA H100 PCIe', 'PCIe', 80),
  nvidia('20b2', 'a100', 'NVIDIA A100-SXM4-80GB', 'SXM4', 80),
  nvidia('20b0', 'a100', 'NVIDIA A100-SXM4-40GB', 'SXM4', 40),
  nvidia('20b5', 'a100', 'NVIDIA A100 80GB PCIe', 'PCIe', 80),
  nvidia('20f1', 'a100', 'NVIDIA A100-PCIE-40GB', 'PCIe', 40),
  nvidia('2235', 'a40', 'NVIDIA A40', 'PCIe', 48),
  nvidia('2230', 'rtxa6000', 'NVIDIA RTX A6000', 'PCIe', 48),
  nvidia('2684', 'rtx4090', 'NVIDIA GeForce RTX 4090', 'PCIe', 24),
  nvidia('2204', 'rtx3090', 'NVIDIA GeForce RTX 3090', 'PCIe', 24),
  nvidia('1db5', 'v100', 'Tesla V100-SXM2-32GB', 'SXM2', 32),
  nvidia('1eb8', 't4', 'Tesla T4', 'PCIe', 16),
  amd('738c', 'mi100', 'AMD Instinct MI100', 'PCIe', 32),
  amd('66a1', 'mi60', 'AMD Radeon Instinct MI60', 'PCIe', 32),
];

export interface GpuChoice {
  readonly model: string;
  readonly interface?: string | undefined;
  readonly memoryGiB?: number | undefined;
}

/** Throws `invalid_argument` that lists what there is. */
export function findCpuModel(name: string): CpuModel {
  const found = cpuModels.get(name);
  if (found !== undefined) return found;
  throw new StatusError('invalid_argument', `CPU model "${name}" is not in the catalog: use one of ${[...cpuModels.keys()].join(', ')}`);
}

/** Throws `invalid_argument` that lists what there is. */
export function findGpuModel(choice: GpuChoice): GpuModel {
  const named = gpuModels.filter(({ model }) => model === choice.model);
  if (named.length === 0) {
    const known = [...new Set(gpuModels.map(({ model }) => model))].join(', ');
    throw new StatusError('invalid_argument', `GPU model "${choice.model}" is not in the catalog: use one of ${known}`);
  }
  const found = named.find(
    (each) =>
      (choice.interface === undefined || each.interface === choice.interface) &&
      (choice.memoryGiB === undefined || each.memoryGiB === choice.memoryGiB),
  );
  if (found !== undefined) return found;
  const variants = named.map((each) => `${each.interface} with ${each.memoryGiB} GiB`).join(', ');
  throw new StatusError('invalid_argument', `GPU model "${choice.model}" comes as ${variants}: change interface or memoryGiB`);
}
