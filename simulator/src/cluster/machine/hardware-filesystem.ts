import { type GpuUse, gpuUse } from './gpu-use.ts';
import { type Gpu, type Hardware, logicalCpus, memoryBytes } from './hardware.ts';
import { type FileEntry, MemoryFilesystem } from './memory-filesystem.ts';
import { driverVersion } from './nvidia-models.ts';
import { smbiosTable } from './smbios-table.ts';

export const kernelVersion = '6.12.0-simulated';

export interface HardwareState {
  /** UUIDs of GPUs that fell off the bus. */
  readonly lostGpus?: ReadonlySet<string> | undefined;
  /** How busy a GPU is, whenever somebody reads it; idle unless given. */
  readonly useOf?: ((gpu: Gpu) => GpuUse) | undefined;
}

type Files = Map<string, FileEntry>;

/** From this speed on a card does RDMA. */
const rdmaFromMbps = 100_000;

/**
 * What Linux on this hardware would show of it. A GPU that fell off the bus leaves its address there, as real ones do: the kernel takes
 * the driver off it, NVIDIA's driver still lists it, and AMD's shows no memory of it.
 */
export function hardwareFilesystem(hostname: string, hardware: Hardware, state: HardwareState = {}): MemoryFilesystem {
  const files: Files = new Map();
  files.set('/etc/hostname', `${hostname}\n`);
  files.set('/etc/machine-id', `${hardware.systemUuid.replaceAll('-', '')}\n`);
  files.set('/proc/sys/kernel/hostname', `${hostname}\n`);
  files.set('/proc/sys/kernel/osrelease', `${kernelVersion}\n`);
  // Long, and read seldom: there may be very many nodes.
  files.set('/proc/cpuinfo', () => cpuInfo(hardware));
  files.set('/proc/meminfo', memoryInfo(hardware));
  files.set('/sys/devices/system/node/online', hardware.sockets > 1 ? `0-${hardware.sockets - 1}\n` : '0\n');
  const maker = hardware.cpu.vendor === 'AuthenticAMD' ? '1022' : '8086';
  addPciDevice(files, '0000:00:00.0', { vendor: maker, device: '0d57', class: '060000' });
  addSystem(files, hardware);
  addDisks(files, hardware);
  addNics(files, hardware);
  hardware.gpus.forEach((gpu, index) => addGpu(files, hardware, state, gpu, index));
  if (hardware.gpus.some(({ vendor }) => vendor === 'nvidia')) {
    files.set('/proc/driver/nvidia/version', `NVRM version: NVIDIA UNIX x86_64 Kernel Module  ${driverVersion}  Release Build\n`);
  }
  return new MemoryFilesystem(files);
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

function addSystem(files: Files, hardware: Hardware): void {
  const dmi = '/sys/class/dmi/id';
  files.set(`${dmi}/sys_vendor`, `${hardware.manufacturer}\n`);
  files.set(`${dmi}/product_name`, `${hardware.product}\n`);
  files.set(`${dmi}/product_serial`, `${hardware.serial}\n`);
  files.set(`${dmi}/product_uuid`, `${hardware.systemUuid}\n`);
  files.set('/sys/firmware/dmi/tables/DMI', smbiosTable(hardware.memory));
  hardware.memory.forEach((module, index) => {
    const folder = `/sys/devices/system/edac/mc/mc${Math.floor(index / 8)}/dimm${index % 8}`;
    files.set(`${folder}/size`, `${module.sizeGiB * 1024}\n`);
    files.set(`${folder}/dimm_label`, `${module.slot}\n`);
    files.set(`${folder}/dimm_mem_type`, 'Registered-DDR5\n');
  });
}

function addDisks(files: Files, { disks }: Hardware): void {
  for (const disk of disks) {
    const folder = `/sys/block/${disk.name}`;
    // The kernel counts in sectors of 512 bytes, whatever the disk's own are.
    files.set(`${folder}/size`, `${Math.floor(disk.sizeBytes / 512)}\n`);
    files.set(`${folder}/queue/rotational`, disk.kind === 'hdd' ? '1\n' : '0\n');
    files.set(`${folder}/removable`, '0\n');
    files.set(`${folder}/ro`, '0\n');
    files.set(`${folder}/device/model`, `${disk.model}\n`);
    files.set(`${folder}/device/serial`, `${disk.serial}\n`);
  }
}

function addNics(files: Files, { nics }: Hardware): void {
  files.set('/sys/class/net/lo/address', '00:00:00:00:00:00\n');
  files.set('/sys/class/net/lo/operstate', 'unknown\n');
  nics.forEach((nic, index) => {
    const device = addPciDevice(files, nic.pciAddress, { vendor: '15b3', device: '1017', class: '020000', driver: 'mlx5_core' });
    const folder = `${device}/net/${nic.name}`;
    files.set(`${folder}/address`, `${nic.mac}\n`);
    files.set(`${folder}/speed`, `${nic.speedMbps}\n`);
    files.set(`${folder}/operstate`, 'up\n');
    files.set(`${folder}/mtu`, '1500\n');
    files.set(`${folder}/device`, { target: device });
    files.set(`/sys/class/net/${nic.name}`, { target: `../../${folder.slice('/sys/'.length)}` });
    if (nic.speedMbps < rdmaFromMbps) return;
    const rdma = `${device}/infiniband/mlx5_${index}`;
    files.set(`${rdma}/node_type`, '1: CA\n');
    files.set(`${rdma}/device`, { target: device });
    files.set(`/sys/class/infiniband/mlx5_${index}`, { target: `../../${rdma.slice('/sys/'.length)}` });
  });
}

function addGpu(files: Files, { gpus, sockets }: Hardware, state: HardwareState, gpu: Gpu, index: number): void {
  const isLost = state.lostGpus?.has(gpu.uuid) === true;
  const driver = gpu.vendor === 'amd' ? 'amdgpu' : 'nvidia';
  // SXM boards and data-centre cards are 3D controllers without a display.
  const ids = { vendor: gpu.vendorId, device: gpu.deviceId, class: '030200' };
  const device = addPciDevice(files, gpu.pciAddress, isLost && gpu.vendor === 'nvidia' ? ids : { ...ids, driver });
  files.set(`${device}/numa_node`, `${Math.floor((index * sockets) / gpus.length)}\n`);
  files.set(`${device}/current_link_width`, '16\n');
  files.set(`${device}/drm/card${index}/dev`, `226:${index}\n`);
  files.set(`${device}/drm/card${index}/device`, { target: device });
  files.set(`/sys/class/drm/card${index}`, { target: `../../${device.slice('/sys/'.length)}/drm/card${index}` });
  if (gpu.vendor === 'nvidia') addNvidiaFiles(files, gpu, index);
  else addAmdFiles(files, device, gpu, state, isLost);
}

function addNvidiaFiles(files: Files, gpu: Gpu, index: number): void {
  const lines = [
    `Model: \t\t ${gpu.productName}`,
    `IRQ:   \t\t ${32 + index}`,
    `GPU UUID: \t ${gpu.uuid}`,
    'Bus Type: \t PCIe',
    `Bus Location: \t ${gpu.pciAddress}`,
    `Device Minor: \t ${gpu.minor}`,
    `GPU Firmware: \t ${driverVersion}`,
    'GPU Excluded:\t No',
    '',
  ];
  files.set(`/proc/driver/nvidia/gpus/${gpu.pciAddress}/information`, lines.join('\n'));
}

function addAmdFiles(files: Files, device: string, gpu: Gpu, { useOf }: HardwareState, isLost: boolean): void {
  const use = (): GpuUse => useOf?.(gpu) ?? gpuUse(gpu, false, 0);
  const totalBytes = gpu.memoryGiB * 2 ** 30;
  files.set('/sys/module/amdgpu/version', '6.12.12\n');
  files.set(`${device}/unique_id`, `${gpu.uuid.replace('GPU-', '').replaceAll('-', '').slice(0, 16)}\n`);
  files.set(`${device}/product_name`, `${gpu.productName}\n`);
  if (isLost) return;
  files.set(`${device}/mem_info_vram_total`, `${totalBytes}\n`);
  files.set(`${device}/mem_info_vram_used`, () => `${Math.floor(totalBytes * use().memoryShare)}\n`);
  files.set(`${device}/gpu_busy_percent`, () => `${use().percent}\n`);
}

interface PciIds {
  readonly vendor: string;
  readonly device: string;
  readonly class: string;
  readonly driver?: string | undefined;
}

/** The device's own folder; the bus and its driver show it through links, as on Linux. */
function addPciDevice(files: Files, address: string, ids: PciIds): string {
  const folder = `/sys/devices/pci0000:00/${address}`;
  files.set(`${folder}/vendor`, `0x${ids.vendor}\n`);
  files.set(`${folder}/device`, `0x${ids.device}\n`);
  files.set(`${folder}/class`, `0x${ids.class}\n`);
  files.set(`/sys/bus/pci/devices/${address}`, { target: `../../../devices/pci0000:00/${address}` });
  if (ids.driver === undefined) return folder;
  files.set(`${folder}/driver`, { target: `../../../bus/pci/drivers/${ids.driver}` });
  files.set(`/sys/bus/pci/drivers/${ids.driver}/${address}`, { target: `../../../../devices/pci0000:00/${address}` });
  return folder;
}
