import { gpuQueryFields } from '../../src/discovery/parse/nvidia-smi.ts';
import { MemoryMachine, netDevice, pciDevice, x86CpuInfo } from './memory-machine.ts';

const uuid = 'GPU-b7935da5-41fc-84c1-2853-ba90559aaeb8';

const header = `Sun Nov 15 09:09:09 2026
+-----------------------------------------------------------------------------------------+
| NVIDIA-SMI 580.159.04             Driver Version: 580.159.04     CUDA Version: 13.0     |
+-----------------------------------------+------------------------+----------------------+
| GPU  Name                 Persistence-M | Bus-Id          Disp.A | Volatile Uncorr. ECC |
|   0  NVIDIA H200                    On  |   00000000:00:06.0 Off |                    0 |
+-----------------------------------------+------------------------+----------------------+
`;

const profiles = `+-------------------------------------------------------------------------------+
| GPU instance profiles:                                                        |
| GPU   Name               ID    Instances   Memory     P2P    SM    DEC   ENC  |
|                                Free/Total   GiB              CE    JPEG  OFA  |
|===============================================================================|
|   0  MIG 1g.18gb         19     7/7        16.00      No     16     1     0   |
|                                                               1     1     0   |
+-------------------------------------------------------------------------------+
|   0  MIG 3g.71gb          9     2/2        69.75      No     60     3     0   |
|                                                               3     3     0   |
+-------------------------------------------------------------------------------+
`;

/** A virtual machine with one H200, as read off a real one: no firmware tables, virtio disks among loop and zram, no NVLink. */
export function h200Virtual(): MemoryMachine {
  return new MemoryMachine({
    files: {
      '/etc/hostname': 'vm\n',
      '/proc/sys/kernel/osrelease': '6.18.44\n',
      '/proc/cpuinfo': x86CpuInfo({
        vendor: 'GenuineIntel',
        model: 'Intel(R) Xeon(R) Processor',
        sockets: 1,
        cores: 16,
        threadsPerCore: 1,
      }),
      '/proc/meminfo': 'MemTotal:       131980916 kB\nMemFree:        130680080 kB\n',
      ...pciDevice('0000:00:00.0', { vendor: '8086', device: '0d57', class: '060000' }),
      ...pciDevice('0000:00:03.0', { vendor: '1af4', device: '1041', class: '020000', driver: 'virtio-pci' }),
      ...pciDevice('0000:00:06.0', { vendor: '10de', device: '2335', class: '030200', driver: 'nvidia' }),
      '/proc/driver/nvidia/version':
        'NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.159.04  Release Build  (nixbld@)  \nGCC version:  gcc version 15.3.0 (GCC) \n',
      '/proc/driver/nvidia/gpus/0000:00:06.0/information': [
        'Model: \t\t NVIDIA H200',
        'IRQ:   \t\t 41',
        `GPU UUID: \t ${uuid}`,
        'Video BIOS: \t 96.00.a5.00.1a',
        'Bus Type: \t PCIe',
        'Bus Location: \t 0000:00:06.0',
        'Device Minor: \t 0',
        'GPU Firmware: \t 580.159.04',
        'GPU Excluded:\t No',
        '',
      ].join('\n'),
      '/sys/block/loop0/size': '0\n',
      '/sys/block/loop1/size': '131072\n',
      '/sys/block/zram0/size': '67108864\n',
      '/sys/block/vda/size': '536870912\n',
      '/sys/block/vda/queue/rotational': '1\n',
      '/sys/block/vda/serial': 'overlayblk',
      '/sys/block/vdb/size': '621696\n',
      '/sys/block/vdb/ro': '1\n',
      ...netDevice('eth0', '0000:00:03.0', { address: '02:fc:00:00:00:01\n', speed: '-1\n', operstate: 'up\n' }),
      '/sys/devices/virtual/net/ifb0/address': '02:ab:44:d9:e0:dc\n',
      '/sys/class/net/ifb0': { link: '../../devices/virtual/net/ifb0' },
      '/sys/class/net/lo/address': '00:00:00:00:00:00\n',
    },
    tools: {
      'nvidia-smi': header,
      [`nvidia-smi --query-gpu=${gpuQueryFields.join(',')} --format=csv,noheader,nounits`]: `00000000:00:06.0, ${uuid}, NVIDIA H200, 143771, 580.159.04, 9.0, Disabled, 0, No, No, [N/A], None\n`,
      'nvidia-smi nvlink --status': '',
      'nvidia-smi mig -lgip': profiles,
      'nvidia-smi --query-gpu=uuid,utilization.gpu,memory.used,temperature.gpu,power.draw --format=csv,noheader,nounits': `${uuid}, 37, 1024, 32, 80.42\n`,
    },
    filesystems: { '/': { sizeBytes: 270_553_174_016, device: '254:0' } },
  });
}
