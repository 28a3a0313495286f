import { type Random, seededRandom } from '@quartermaster/kernel';
import { type CpuModel, findCpuModel, findGpuModel, type GpuChoice, type GpuModel } from './hardware-catalog.ts';

/** What to build into a node. */
export interface HardwareSpec {
  readonly cpu: string;
  readonly sockets: number;
  readonly memoryGiB: number;
  readonly gpus?: readonly (GpuChoice & { readonly count: number })[] | undefined;
  readonly disks?: readonly { readonly kind: DiskKind; readonly sizeGB: number; readonly count: number }[] | undefined;
  readonly nics?: readonly { readonly speedGbps: number; readonly count: number }[] | undefined;
}

export type DiskKind = 'nvme' | 'ssd' | 'hdd';

export interface MemoryModule {
  readonly slot: string;
  readonly sizeGiB: number;
  readonly speedMtps: number;
  readonly manufacturer: string;
  readonly serial: string;
}

export interface Gpu extends GpuModel {
  /** `GPU-` and a UUID, as NVIDIA prints it. */
  readonly uuid: string;
  /** domain:bus:device.function */
  readonly pciAddress: string;
  readonly minor: number;
}

export interface Disk {
  readonly name: string;
  readonly kind: DiskKind;
  readonly sizeBytes: number;
  readonly model: string;
  readonly serial: string;
}

export interface Nic {
  readonly name: string;
  readonly mac: string;
  readonly speedMbps: number;
  readonly pciAddress: string;
}

/** Everything that is in one node. */
export interface Hardware {
  readonly manufacturer: string;
  readonly product: string;
  readonly serial: string;
  readonly systemUuid: string;
  readonly cpu: CpuModel;
  readonly sockets: number;
  readonly memory: readonly MemoryModule[];
  readonly gpus: readonly Gpu[];
  readonly disks: readonly Disk[];
  readonly nics: readonly Nic[];
}

/** The same seed, name and spec give the same hardware, down to the serial numbers. Throws `invalid_argument` for an unknown model. */
export function buildHardware(spec: HardwareSpec, name: string, seed: number): Hardware {
  const random = seededRandom(seed ^ hash(name));
  const gpuChoices = (spec.gpus ?? []).flatMap((choice) => Array.from({ length: choice.count }, () => findGpuModel(choice)));
  return {
    manufacturer: 'Simulated Systems',
    product: gpuChoices.length > 0 ? 'SIM-GPU-4U' : 'SIM-CPU-1U',
    serial: `SIM${text(random, 'ABCDEFGHJKLMNPQRSTUVWXYZ0123456789', 9)}`,
    systemUuid: uuid(random),
    cpu: findCpuModel(spec.cpu),
    sockets: spec.sockets,
    memory: memoryModules(spec.memoryGiB, random),
    gpus: gpuChoices.map((model, index) => ({ ...model, uuid: `GPU-${uuid(random)}`, pciAddress: pciAddress(0x10 + index), minor: index })),
    disks: buildDisks(spec, random),
    nics: buildNics(spec, random),
  };
}

export const logicalCpus = ({ cpu, sockets }: Hardware): number => sockets * cpu.cores * cpu.threadsPerCore;

export const memoryBytes = ({ memory }: Hardware): number => memory.reduce((sum, { sizeGiB }) => sum + sizeGiB, 0) * 2 ** 30;

/** A number that follows from the text alone (FNV-1a), so that one node's hardware does not depend on how many there are. */
export function hash(value: string): number {
  let state = 0x811c9dc5;
  for (let i = 0; i < value.length; i += 1) state = Math.imul(state ^ value.charCodeAt(i), 0x01000193) >>> 0;
  return state;
}

/** The largest equal modules that fill at least eight slots, as boards are populated; one module when the size does not divide. */
function memoryModules(totalGiB: number, random: Random): MemoryModule[] {
  const sizeGiB = [128, 64, 32, 16, 8, 4, 2, 1].find((size) => totalGiB % size === 0 && totalGiB / size >= 8) ?? totalGiB;
  return Array.from({ length: totalGiB / sizeGiB }, (_, index) => ({
    slot: `DIMM_${String.fromCharCode(65 + (index % 16))}${1 + Math.floor(index / 16)}`,
    sizeGiB,
    speedMtps: 4800,
    manufacturer: 'Simulated Memory',
    serial: text(random, '0123456789ABCDEF', 8),
  }));
}

const diskModels: Readonly<Record<DiskKind, string>> = { nvme: 'SIM NVMe Gen4', ssd: 'SIM SATA SSD', hdd: 'SIM SATA HDD' };

function buildDisks(spec: HardwareSpec, random: Random): Disk[] {
  let nvme = 0;
  let sata = 0;
  return (spec.disks ?? []).flatMap(({ kind, sizeGB, count }) =>
    Array.from({ length: count }, () => {
      const name = kind === 'nvme' ? `nvme${nvme++}n1` : `sd${String.fromCharCode(97 + sata++)}`;
      return { name, kind, sizeBytes: sizeGB * 1e9, model: diskModels[kind], serial: text(random, '0123456789ABCDEF', 12) };
    }),
  );
}

function buildNics(spec: HardwareSpec, random: Random): Nic[] {
  let index = 0;
  return (spec.nics ?? []).flatMap(({ speedGbps, count }) =>
    Array.from({ length: count }, () => {
      const bytes = random.fill(new Uint8Array(5));
      // 02: locally administered, so that no simulated address can be a real card's.
      const mac = ['02', ...Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0'))].join(':');
      const nic = { name: `eth${index}`, mac, speedMbps: speedGbps * 1000, pciAddress: pciAddress(0x80 + index) };
      index += 1;
      return nic;
    }),
  );
}

const pciAddress = (bus: number): string => `0000:${bus.toString(16).padStart(2, '0')}:00.0`;

function text(random: Random, alphabet: string, length: number): string {
  return Array.from({ length }, () => alphabet.charAt(Math.floor(random.next() * alphabet.length))).join('');
}

/** A version 4 UUID of seeded bytes. */
function uuid(random: Random): string {
  const bytes = random.fill(new Uint8Array(16));
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}
