import { gpuQueryFields } from '../../src/discovery/parse/nvidia-smi.ts';
import { type Entry, MemoryMachine, memoryDevice, netDevice, pciDevice, smbiosStructure, x86CpuInfo } from './memory-machine.ts';

const buses = ['1b', '43', '52', '61', '9d', 'c3', 'd1', 'df'];

export const h100Uuid = (index: number): string => `GPU-0000000${index}-1111-2222-3333-444444444444`;

/** An HGX server: two processors, 32 modules, eight H100 SXM5 with NVLink, ConnectX-7 with InfiniBand, a board controller's console, NVMe and RAID. */
export function h100Server(): MemoryMachine {
  const gpus = buses.map((bus, index) => ({ address: `0000:${bus}:00.0`, uuid: h100Uuid(index), index }));
  const files: Record<string, Entry> = {
    '/etc/hostname': 'hgx-07\n',
    '/proc/cpuinfo': x86CpuInfo({
      vendor: 'GenuineIntel',
      model: 'Intel(R) Xeon(R) Platinum 8480C',
      sockets: 2,
      cores: 56,
      threadsPerCore: 2,
    }),
    '/proc/meminfo': 'MemTotal:       2113513816 kB\n',
    '/sys/class/dmi/id/sys_vendor': 'Supermicro\n',
    '/sys/class/dmi/id/product_name': 'SYS-821GE-TNHR\n',
    '/sys/class/dmi/id/product_serial': 'To be filled by O.E.M.\n',
    '/sys/class/dmi/id/chassis_serial': 'C821GE0123456\n',
    '/sys/class/dmi/id/product_uuid': '7A1B2C3D-0000-11EE-8000-3CECEF123456\n',
    '/sys/firmware/dmi/tables/DMI': memoryTable(),
    ...pciDevice('0000:03:00.0', { vendor: '1a03', device: '2000', class: '030000', driver: 'ast' }),
    '/proc/driver/nvidia/version': 'NVRM version: NVIDIA UNIX x86_64 Kernel Module  550.90.07  Fri May 31 09:35:42 UTC 2024\n',
    ...disks(),
    ...nics(),
  };
  for (const { address, uuid, index } of gpus) {
    Object.assign(
      files,
      pciDevice(address, { vendor: '10de', device: '2330', class: '030200', driver: 'nvidia', numa: index < 4 ? 0 : 1 }),
      {
        [`/proc/driver/nvidia/gpus/${address}/information`]: `Model: \t\t NVIDIA H100 80GB HBM3\nGPU UUID: \t ${uuid}\nDevice Minor: \t ${index}\nGPU Excluded:\t No\n`,
      },
    );
  }
  const old = gpuQueryFields.filter((field) => field !== 'gpu_recovery_action');
  const row = ({ address, uuid }: { address: string; uuid: string }): string =>
    `0000${address.toUpperCase()}, ${uuid}, NVIDIA H100 80GB HBM3, 81559, 550.90.07, 9.0, Disabled, 0, No, No, [N/A]\n`;
  const card = ({ uuid, index }: { uuid: string; index: number }): string =>
    `GPU ${index}: NVIDIA H100 80GB HBM3 (UUID: ${uuid})\n${Array.from({ length: 18 }, (_, link) => `\t Link ${link}: 26.562 GB/s\n`).join('')}`;
  return new MemoryMachine({
    files,
    tools: {
      'nvidia-smi': '| NVIDIA-SMI 550.90.07   Driver Version: 550.90.07   CUDA Version: 12.4  |\n',
      [`nvidia-smi --query-gpu=${gpuQueryFields.join(',')} --format=csv,noheader,nounits`]: {
        status: 2,
        stdout: 'Field "gpu_recovery_action" is not a valid field to query.\n\n',
        stderr: '',
      },
      [`nvidia-smi --query-gpu=${old.join(',')} --format=csv,noheader,nounits`]: gpus.map(row).join(''),
      'nvidia-smi nvlink --status': gpus.map(card).join(''),
      'nvidia-smi topo -m': topology(gpus.length),
      'nvidia-smi mig -lgip': '',
    },
  });
}

/** All behind the same switches. */
function topology(size: number): string {
  const all = Array.from({ length: size }, (_, index) => index);
  const header = `\t\u001b[4m${all.map((index) => `GPU${index}`).join('\t')}\tCPU Affinity\tNUMA Affinity\tGPU NUMA ID\u001b[0m\n`;
  return header + all.map((a) => `GPU${a}\t${all.map((b) => (a === b ? ' X ' : 'NV18')).join('\t')}\t0-55\t0\t\tN/A\n`).join('');
}

function memoryTable(): Uint8Array {
  const board = smbiosStructure(2, 1, [1, 2, 0, 0], ['Supermicro', 'X13DEG-OAD']);
  const modules = Array.from({ length: 32 }, (_, index) =>
    memoryDevice(0x20 + index, {
      slot: `P${1 + (index >> 4)}-DIMM${String.fromCharCode(65 + ((index >> 1) % 8))}${1 + (index % 2)}`,
      sizeMiB: 65_536,
      type: 0x22,
      speed: 4800,
      manufacturer: 'Samsung',
    }),
  );
  const empty = memoryDevice(0x60, { slot: 'P2-DIMMX9', sizeMiB: 0, type: 2, speed: 0, manufacturer: 'NO DIMM' });
  return Uint8Array.from([...board, ...modules.flatMap((module) => [...module]), ...empty, ...smbiosStructure(127, 0x61, [], [])]);
}

function disks(): Record<string, Entry> {
  const files: Record<string, Entry> = {
    '/sys/block/md127/size': '1875000000\n',
    '/sys/block/dm-0/size': '1875000000\n',
    '/sys/block/nvme0c0n1/size': '7501476528\n',
    '/sys/block/sda/size': '1875385008\n',
    '/sys/block/sda/queue/rotational': '0\n',
    '/sys/block/sda/device/vendor': 'ATA     \n',
    '/sys/block/sda/device/model': 'SAMSUNG MZ7L3960\n',
    '/sys/block/sda/device/vpd_pg80': Uint8Array.from([0, 0x80, 0, 14, ...Buffer.from('S662NN0T123456')]),
    '/sys/block/sdb/size': '35156656128\n',
    '/sys/block/sdb/queue/rotational': '1\n',
    '/sys/block/sdb/device/model': 'ST18000NM004J\n',
    '/sys/block/sdc/size': '60062500\n',
    '/sys/block/sdc/removable': '1\n',
    '/sys/block/sr0/size': '2097151\n',
  };
  for (let index = 0; index < 8; index += 1) {
    files[`/sys/block/nvme${index}n1/size`] = '7501476528\n';
    files[`/sys/block/nvme${index}n1/queue/rotational`] = '0\n';
    files[`/sys/block/nvme${index}n1/device/model`] = 'SAMSUNG MZQL23T8HCLS-00A07              \n';
    files[`/sys/block/nvme${index}n1/device/serial`] = `S64HNE0R10000${index}      \n`;
  }
  return files;
}

function nics(): Record<string, Entry> {
  const files: Record<string, Entry> = {
    ...pciDevice(
      '0000:18:00.0',
      { vendor: '15b3', device: '1021', class: '020700', driver: 'mlx5_core' },
      { 'infiniband/mlx5_0/node_type': '1: CA\n' },
    ),
    ...netDevice('ibp24s0', '0000:18:00.0', {
      address: '00:00:10:29:fe:80:00:00:00:00:00:00:a0:88:c2:03:00:12:34:56\n',
      speed: '400000\n',
      operstate: 'up\n',
    }),
    ...pciDevice('0000:2b:00.0', { vendor: '15b3', device: '101d', class: '020000', driver: 'mlx5_core' }),
    ...netDevice('enp43s0f0', '0000:2b:00.0', {
      address: 'aa:bb:cc:dd:ee:01\n',
      'bonding_slave/perm_hwaddr': '3c:ec:ef:12:34:56\n',
      speed: '100000\n',
      operstate: 'up\n',
    }),
    '/sys/class/infiniband/mlx5_1/device': { link: '../../../0000:2b:00.0' },
    ...pciDevice('0000:2b:00.2', { vendor: '15b3', device: '101e', class: '020000' }, { physfn: { link: '../0000:2b:00.0' } }),
    ...netDevice('enp43s0f0v0', '0000:2b:00.2', { address: '3c:ec:ef:12:34:99\n', operstate: 'up\n' }),
    '/sys/class/net/lo/address': '00:00:00:00:00:00\n',
  };
  for (const name of ['bond0', 'veth1234', 'cni0', 'vxlan.calico']) {
    files[`/sys/devices/virtual/net/${name}/address`] = 'ee:ee:ee:ee:ee:ee\n';
    files[`/sys/class/net/${name}`] = { link: `../../devices/virtual/net/${name}` };
  }
  return files;
}
