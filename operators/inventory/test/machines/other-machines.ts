import { type Entry, MemoryMachine, netDevice, pciDevice, x86CpuInfo } from './memory-machine.ts';

/** Eight MI300X: processing accelerators without a display, all facts in sysfs, no tool. */
export function mi300xServer(): MemoryMachine {
  const files: Record<string, Entry> = {
    '/proc/cpuinfo': x86CpuInfo({
      vendor: 'AuthenticAMD',
      model: 'AMD EPYC 9654 96-Core Processor',
      sockets: 2,
      cores: 96,
      threadsPerCore: 2,
    }),
    '/proc/meminfo': 'MemTotal:       2377842636 kB\n',
    '/sys/class/dmi/id/sys_vendor': 'Dell Inc.\n',
    '/sys/class/dmi/id/product_name': 'PowerEdge XE9680\n',
    '/sys/class/dmi/id/product_serial': '7XYZ123\n',
    '/sys/module/amdgpu/version': '6.7.0\n',
    '/sys/devices/system/edac/mc/mc0/dimm0/size': '98304\n',
    '/sys/devices/system/edac/mc/mc0/dimm0/dimm_label': 'CPU_SrcID#0_MC#0_Chan#0_DIMM#0\n',
    '/sys/devices/system/edac/mc/mc0/dimm0/dimm_mem_type': 'Registered-DDR5\n',
    '/sys/devices/system/edac/mc/mc0/dimm1/size': '0\n',
  };
  for (const [index, bus] of ['05', '26', '46', '65', '85', 'a6', 'c6', 'e5'].entries()) {
    Object.assign(
      files,
      pciDevice(
        `0000:${bus}:00.0`,
        { vendor: '1002', device: '74a1', class: '120000', driver: 'amdgpu', numa: index < 4 ? 0 : 1 },
        {
          mem_info_vram_total: '206141652992\n',
          mem_info_vram_used: '299892736\n',
          gpu_busy_percent: '12\n',
          unique_id: `a1b2c3d4e5f6000${index}\n`,
          product_name: 'AMD Instinct MI300X OAM\n',
          'ras/umc_err_count': index === 3 ? 'ue: 2\nce: 5\n' : 'ue: 0\nce: 0\n',
        },
      ),
    );
  }
  return new MemoryMachine({ files });
}

/** An arm64 board: device tree instead of firmware tables, no model names, sockets only in sysfs. */
export function armBoard(): MemoryMachine {
  const files: Record<string, Entry> = {
    '/proc/meminfo': 'MemTotal:       65700000 kB\n',
    '/proc/device-tree/model': 'Example Arm Server\0',
    '/proc/device-tree/serial-number': 'ARM0042\0',
    '/sys/block/mmcblk0/size': '124735488\n',
    '/sys/block/mmcblk0boot0/size': '8192\n',
    '/sys/block/nvme0n1/size': '1953525168\n',
    '/sys/bus/platform/devices/soc/uevent': '\n',
  };
  const threads = Array.from({ length: 8 }, (_, index) => {
    files[`/sys/devices/system/cpu/cpu${index}/topology/physical_package_id`] = `${index >> 2}\n`;
    files[`/sys/devices/system/cpu/cpu${index}/topology/core_id`] = `${index % 4}\n`;
    return `processor\t: ${index}\nBogoMIPS\t: 50.00\nFeatures\t: fp asimd\nCPU implementer\t: 0x41\nCPU architecture: 8\nCPU variant\t: 0x3\nCPU part\t: 0xd0c\nCPU revision\t: 1\n\n`;
  });
  files['/proc/cpuinfo'] = threads.join('');
  return new MemoryMachine({ files });
}

/** A small virtual machine without a GPU; its display is the hypervisor's, its serial a placeholder. */
export function bareVirtual(): MemoryMachine {
  return new MemoryMachine({
    files: {
      '/etc/hostname': 'worker-3\n',
      '/proc/cpuinfo': x86CpuInfo({ vendor: 'AuthenticAMD', model: 'AMD EPYC-Milan Processor', sockets: 4, cores: 1, threadsPerCore: 1 }),
      '/proc/meminfo': 'MemTotal:        8140304 kB\n',
      '/sys/class/dmi/id/sys_vendor': 'QEMU\n',
      '/sys/class/dmi/id/product_name': 'Standard PC (Q35 + ICH9, 2009)\n',
      '/sys/class/dmi/id/product_serial': 'Not Specified\n',
      '/sys/class/dmi/id/product_uuid': '9d2c5b1e-3f57-4d1a-8a2f-6f1f0f7f2d11\n',
      ...pciDevice('0000:00:01.0', { vendor: '1234', device: '1111', class: '030000', driver: 'bochs-drm' }),
      ...pciDevice('0000:00:02.0', { vendor: '1af4', device: '1000', class: '020000', driver: 'virtio-pci' }),
      '/sys/block/sda/size': '83886080\n',
      '/sys/block/sda/queue/rotational': '1\n',
      '/sys/block/sda/device/vendor': 'QEMU    \n',
      '/sys/block/sda/device/model': 'QEMU HARDDISK   \n',
      '/sys/block/sr0/size': '2097151\n',
      ...netDevice('ens2', '0000:00:02.0', { address: '52:54:00:12:34:56\n', speed: '-1\n', operstate: 'up\n' }),
    },
  });
}
