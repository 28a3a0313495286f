import { StatusError } from '@quartermaster/kernel';
import { type Gpu, type Hardware, logicalCpus, memoryBytes } from './hardware.ts';

export interface FileStat {
  readonly kind: 'file' | 'directory' | 'link';
  readonly size: number;
}

/** Reading a node's root filesystem. Paths are absolute; links are followed. Throws `not_found` naming the path. */
export interface RootFilesystem {
  readFile(path: string): Promise<string>;
  /** Names, sorted. */
  readDirectory(path: string): Promise<readonly string[]>;
  /** Of the path itself: a link is not followed. */
  stat(path: string): Promise<FileStat>;
  readLink(path: string): Promise<string>;
}

interface Link {
  readonly target: string;
}

/** A read-only tree of texts in memory. Directories exist through what is in them. */
export class MemoryFilesystem implements RootFilesystem {
  readonly #files: ReadonlyMap<string, string | Link>; // absolute path -> text or link
  readonly #directories = new Map<string, Set<string>>(); // absolute path -> names

  constructor(files: ReadonlyMap<string, string | Link>) {
    this.#files = files;
    for (const path of files.keys()) {
      const parts = path.split('/').slice(1);
      parts.forEach((name, index) => {
        const parent = `/${parts.slice(0, index).join('/')}`;
        const names = this.#directories.get(parent);
        if (names === undefined) this.#directories.set(parent, new Set([name]));
        else names.add(name);
      });
    }
  }

  async readFile(path: string): Promise<string> {
    const found = this.#files.get(this.#resolve(path));
    if (typeof found === 'string') return found;
    throw missing(path, 'is not a file');
  }

  async readDirectory(path: string): Promise<readonly string[]> {
    const names = this.#directories.get(this.#resolve(path));
    if (names === undefined) throw missing(path, 'is not a directory');
    return [...names].sort();
  }

  async stat(path: string): Promise<FileStat> {
    const parent = this.#resolve(path.slice(0, Math.max(path.lastIndexOf('/'), 1)));
    const own = path === '/' ? '/' : `${parent === '/' ? '' : parent}/${path.slice(path.lastIndexOf('/') + 1)}`;
    const found = this.#files.get(own);
    if (typeof found === 'string') return { kind: 'file', size: Buffer.byteLength(found) };
    if (found !== undefined) return { kind: 'link', size: found.target.length };
    if (this.#directories.has(own)) return { kind: 'directory', size: 0 };
    throw missing(path, 'does not exist');
  }

  async readLink(path: string): Promise<string> {
    const found = this.#files.get(path);
    if (found !== undefined && typeof found !== 'string') return found.target;
    throw missing(path, 'is not a link');
  }

  #resolve(path: string, depth = 0): string {
    if (depth > 16) throw missing(path, 'has too many links');
    const parts = path.split('/').filter((part) => part !== '' && part !== '.');
    let at = '';
    for (const [index, part] of parts.entries()) {
      at = part === '..' ? at.slice(0, at.lastIndexOf('/')) : `${at}/${part}`;
      const found = this.#files.get(at);
      if (found === undefined || typeof found === 'string') continue;
      const base = found.target.startsWith('/') ? '' : at.slice(0, at.lastIndexOf('/'));
      return this.#resolve([base, found.target, ...parts.slice(index + 1)].join('/'), depth + 1);
    }
    return at === '' ? '/' : at;
  }
}

/** What Linux on this hardware would show of it. `lostGpus` holds UUIDs of GPUs that fell off the bus. */
export function hardwareFilesystem(hostname: string, hardware: Hardware, lostGpus: ReadonlySet<string> = new Set()): MemoryFilesystem {
  const files = new Map<string, string | Link>();
  files.set('/etc/hostname', `${hostname}\n`);
  files.set('/etc/machine-id', `${hardware.systemUuid.replaceAll('-', '')}\n`);
  files.set('/proc/cpuinfo', cpuInfo(hardware));
  files.set('/proc/meminfo', memoryInfo(hardware));
  files.set('/sys/devices/system/node/online', hardware.sockets > 1 ? `0-${hardware.sockets - 1}\n` : '0\n');
  addSystem(files, hardware);
  addDisks(files, hardware);
  addNics(files, hardware);
  const present = hardware.gpus.filter(({ uuid }) => !lostGpus.has(uuid));
  present.forEach((gpu, index) => addGpu(files, gpu, index));
  if (present.some(({ vendor }) => vendor === 'nvidia')) {
    files.set('/proc/driver/nvidia/version', 'NVRM version: NVIDIA UNIX x86_64 Kernel Module  580.159.04  Release Build\n');
  }
  return new MemoryFilesystem(files);
}

/** A filesystem that is made when it is first read: most containers never look. */
export function lazyFilesystem(make: () => RootFilesystem): RootFilesystem {
  let made: RootFilesystem | undefined;
  const filesystem = (): RootFilesystem => {
    made ??= make();
    return made;
  };
  return {
    readFile: (path) => filesystem().readFile(path),
    readDirectory: (path) => filesystem().readDirectory(path),
    stat: (path) => filesystem().stat(path),
    readLink: (path) => filesystem().readLink(path),
  };
}

function cpuInfo(hardware: Hardware): string {
  const { cpu } = hardware;
  const perSocket = cpu.cores * cpu.threadsPerCore;
  return Array.from({ length: logicalCpus(hardware) }, (_, processor) => {
    const facts: [string, string | number][] = [
      ['processor', processor],
      ['vendor_id', cpu.vendor],
      ['cpu family', cpu.family],
      ['model', cpu.model],
      ['model name', cpu.name],
      ['cpu MHz', cpu.mhz.toFixed(3)],
      ['physical id', Math.floor(processor / perSocket)],
      ['siblings', perSocket],
      ['core id', processor % cpu.cores],
      ['cpu cores', cpu.cores],
      ['flags', 'fpu sse sse2 ssse3 sse4_1 sse4_2 aes avx avx2'],
    ];
    return `${facts.map(([name, value]) => `${name.padEnd(16)}: ${value}`).join('\n')}\n\n`;
  }).join('');
}

function memoryInfo(hardware: Hardware): string {
  const totalKiB = memoryBytes(hardware) / 1024;
  const line = (name: string, kib: number): string => `${`${name}:`.padEnd(16)}${Math.floor(kib).toString().padStart(12)} kB\n`;
  return line('MemTotal', totalKiB) + line('MemFree', totalKiB * 0.8) + line('MemAvailable', totalKiB * 0.9) + line('SwapTotal', 0);
}

function addSystem(files: Map<string, string | Link>, hardware: Hardware): void {
  const dmi = '/sys/class/dmi/id';
  files.set(`${dmi}/sys_vendor`, `${hardware.manufacturer}\n`);
  files.set(`${dmi}/product_name`, `${hardware.product}\n`);
  files.set(`${dmi}/product_serial`, `${hardware.serial}\n`);
  files.set(`${dmi}/product_uuid`, `${hardware.systemUuid}\n`);
  hardware.memory.forEach((module, index) => {
    const folder = `/sys/devices/system/edac/mc/mc${Math.floor(index / 8)}/dimm${index % 8}`;
    files.set(`${folder}/size`, `${module.sizeGiB * 1024}\n`);
    files.set(`${folder}/dimm_label`, `${module.slot}\n`);
    files.set(`${folder}/dimm_mem_type`, 'Registered-DDR5\n');
  });
}

function addDisks(files: Map<string, string | Link>, { disks }: Hardware): void {
  for (const disk of disks) {
    const folder = `/sys/block/${disk.name}`;
    // The kernel counts in sectors of 512 bytes, whatever the disk's own are.
    files.set(`${folder}/size`, `${Math.floor(disk.sizeBytes / 512)}\n`);
    files.set(`${folder}/queue/rotational`, disk.kind === 'hdd' ? '1\n' : '0\n');
    files.set(`${folder}/removable`, '0\n');
    files.set(`${folder}/device/model`, `${disk.model}\n`);
    files.set(`${folder}/device/serial`, `${disk.serial}\n`);
  }
}

function addNics(files: Map<string, string | Link>, { nics }: Hardware): void {
  files.set('/sys/class/net/lo/address', '00:00:00:00:00:00\n');
  files.set('/sys/class/net/lo/operstate', 'unknown\n');
  for (const nic of nics) {
    const device = addPciDevice(files, nic.pciAddress, { vendor: '15b3', device: '1017', class: '020000' });
    const folder = `${device}/net/${nic.name}`;
    files.set(`${folder}/address`, `${nic.mac}\n`);
    files.set(`${folder}/speed`, `${nic.speedMbps}\n`);
    files.set(`${folder}/operstate`, 'up\n');
    files.set(`${folder}/mtu`, '1500\n');
    files.set(`${folder}/device`, { target: device });
    files.set(`/sys/class/net/${nic.name}`, { target: `../../${folder.slice('/sys/'.length)}` });
  }
}

function addGpu(files: Map<string, string | Link>, gpu: Gpu, index: number): void {
  // SXM boards and data-centre cards are 3D controllers without a display.
  const device = addPciDevice(files, gpu.pciAddress, { vendor: gpu.vendorId, device: gpu.deviceId, class: '030200' });
  files.set(`${device}/numa_node`, '0\n');
  files.set(`${device}/current_link_width`, '16\n');
  files.set(`${device}/drm/card${index}/dev`, `226:${index}\n`);
  files.set(`${device}/drm/card${index}/device`, { target: device });
  files.set(`/sys/class/drm/card${index}`, { target: `../../${device.slice('/sys/'.length)}/drm/card${index}` });
  if (gpu.vendor === 'amd') {
    files.set(`${device}/mem_info_vram_total`, `${gpu.memoryGiB * 2 ** 30}\n`);
    files.set(`${device}/unique_id`, `${gpu.uuid.replace('GPU-', '').replaceAll('-', '').slice(0, 16)}\n`);
    return;
  }
  files.set(
    `/proc/driver/nvidia/gpus/${gpu.pciAddress}/information`,
    [
      `Model: \t\t ${gpu.productName}`,
      `IRQ:   \t\t ${32 + index}`,
      `GPU UUID: \t ${gpu.uuid}`,
      'Bus Type: \t PCIe',
      `Bus Location: \t ${gpu.pciAddress}`,
      `Device Minor: \t ${gpu.minor}`,
      'GPU Firmware: \t 580.159.04',
      'GPU Excluded:\t No',
      '',
    ].join('\n'),
  );
}

/** The device's own folder; the bus shows it through a link, as on Linux. */
function addPciDevice(
  files: Map<string, string | Link>,
  address: string,
  ids: { readonly vendor: string; readonly device: string; readonly class: string },
): string {
  const folder = `/sys/devices/pci0000:00/${address}`;
  files.set(`${folder}/vendor`, `0x${ids.vendor}\n`);
  files.set(`${folder}/device`, `0x${ids.device}\n`);
  files.set(`${folder}/class`, `0x${ids.class}\n`);
  files.set(`/sys/bus/pci/devices/${address}`, { target: `../../../devices/pci0000:00/${address}` });
  return folder;
}

function missing(path: string, rule: string): StatusError {
  return new StatusError('not_found', `${path} ${rule} on this node's root filesystem`);
}
