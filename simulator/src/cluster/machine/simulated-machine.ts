import { StatusError } from '@quartermaster/kernel';
import { type GpuUse, gpuUse } from './gpu-use.ts';
import type { Gpu, Hardware } from './hardware.ts';
import { hardwareFilesystem } from './hardware-filesystem.ts';
import type { FileStat, RootFilesystem } from './memory-filesystem.ts';
import { nvidiaSmi, type ToolResult } from './nvidia-smi.ts';
import type { SimulatedKernelLog } from './simulated-kernel-log.ts';

export interface FilesystemSize {
  readonly sizeBytes: number;
  /** Equal for two paths on one filesystem. */
  readonly device: string;
  readonly usedBytes: number;
}

/** A node's machine, for whoever runs on it: its files, its filesystems and its tools, always as they are now. */
export interface Machine extends RootFilesystem {
  filesystemOf(path: string): Promise<FilesystemSize>;
  folderSizeOf(path: string): Promise<{ readonly bytes: number }>;
  /** Throws `not_found` when the machine has no such tool. */
  runTool(name: string, args: readonly string[]): Promise<ToolResult>;
}

export interface SimulatedMachineOptions {
  readonly hostname: string;
  readonly hardware: Hardware;
  /** UUIDs of GPUs that fell off the bus, whenever it is asked. */
  readonly lostGpus?: ReadonlySet<string> | undefined;
  /** Whether a container holds the GPU now. */
  readonly isHeld?: ((gpu: Gpu) => boolean) | undefined;
  /** UUIDs of the GPUs that tools see, in this order; all of the node unless given. */
  readonly visible?: readonly string[] | undefined;
  readonly now?: (() => number) | undefined;
  /** What its kernel says; nothing unless given. */
  readonly kernelLog?: SimulatedKernelLog | undefined;
}

/** Where the provisioner of node-local volumes keeps them: on the second disk, where a node has one. */
const dataFolder = '/opt/local-path-provisioner';
const bytesWithoutDisk = 100e9;
/** Of the system and its images, on the first disk. */
const systemBytes = 20e9;

/** The machine of a node, made of its hardware. Its tree of files is built when it is first read and after a GPU was lost or came back. */
export class SimulatedMachine implements Machine {
  readonly #options: SimulatedMachineOptions;
  #tree: { readonly lost: string; readonly files: RootFilesystem } | undefined;

  constructor(options: SimulatedMachineOptions) {
    this.#options = options;
  }

  async readFile(path: string): Promise<string> {
    const { kernelLog } = this.#options;
    if (kernelLog !== undefined) {
      if (path === '/dev/kmsg') return kernelLog.text();
      if (path === '/proc/stat') return `btime ${kernelLog.startedAt / 1000}\n`;
      if (path === '/proc/sys/kernel/random/boot_id') return `${kernelLog.bootId}\n`;
    }
    return await this.#files().readFile(path);
  }

  readBytes(path: string): Promise<Uint8Array> {
    return this.#files().readBytes(path);
  }

  readDirectory(path: string): Promise<readonly string[]> {
    return this.#files().readDirectory(path);
  }

  stat(path: string): Promise<FileStat> {
    return this.#files().stat(path);
  }

  readLink(path: string): Promise<string> {
    return this.#files().readLink(path);
  }

  async filesystemOf(path: string): Promise<FilesystemSize> {
    if (!path.startsWith('/')) throw new StatusError('invalid_argument', `path "${path}" must be absolute`);
    const { disks } = this.#options.hardware;
    const isData = path === dataFolder || path.startsWith(`${dataFolder}/`);
    const index = isData && disks.length > 1 ? 1 : 0;
    const sizeBytes = disks[index]?.sizeBytes ?? bytesWithoutDisk;
    return { sizeBytes, device: `259:${index}`, usedBytes: index === 0 ? Math.min(systemBytes, sizeBytes) : 0 };
  }

  /** Nobody writes into simulated volumes. */
  async folderSizeOf(_path: string): Promise<{ readonly bytes: number }> {
    return { bytes: 0 };
  }

  async runTool(name: string, args: readonly string[]): Promise<ToolResult> {
    const { hostname, hardware, lostGpus, visible } = this.#options;
    const all = hardware.gpus.filter(({ vendor }) => vendor === 'nvidia');
    if (name !== 'nvidia-smi' || all.length === 0) throw new StatusError('not_found', `${name} is not on the simulated node ${hostname}`);
    const seen = visible === undefined ? all : visible.flatMap((uuid) => all.filter((gpu) => gpu.uuid === uuid));
    const cards = seen.map((gpu) => ({ gpu, isLost: lostGpus?.has(gpu.uuid) === true, use: this.#useOf(gpu) }));
    return nvidiaSmi(cards, args);
  }

  /** The same machine, as a container sees it that was given these GPUs. */
  seeing(gpus: readonly string[]): SimulatedMachine {
    return new SimulatedMachine({ ...this.#options, visible: gpus });
  }

  #useOf(gpu: Gpu): GpuUse {
    const { isHeld, now } = this.#options;
    return gpuUse(gpu, isHeld?.(gpu) === true, now?.() ?? 0);
  }

  #files(): RootFilesystem {
    const { hostname, hardware, lostGpus = new Set() } = this.#options;
    const lost = [...lostGpus].toSorted().join();
    if (this.#tree?.lost !== lost) {
      const files = hardwareFilesystem(hostname, hardware, { lostGpus: new Set(lostGpus), useOf: (gpu) => this.#useOf(gpu) });
      this.#tree = { lost, files };
    }
    return this.#tree.files;
  }
}
