import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** What nobody learns who is not known: it identifies the machine and its parts. */
export const canaries = {
  serial: 'CANARY-SERIAL-0451',
  systemUuid: 'ca4a12e0-0000-11ee-8000-3cecef123456',
  disk: 'CANARY-DISK-0451',
  mac: '3c:ec:ef:ca:4a:12',
  gpu: 'ca4a12e5ca4a12e5',
} as const;

const files: Readonly<Record<string, string>> = {
  '/etc/hostname': 'canary-host\n',
  '/proc/cpuinfo':
    'processor\t: 0\nvendor_id\t: AuthenticAMD\nmodel name\t: AMD EPYC 7763\nphysical id\t: 0\nsiblings\t: 1\ncore id\t\t: 0\ncpu cores\t: 1\n\n',
  '/proc/meminfo': 'MemTotal:       131980916 kB\n',
  '/sys/class/dmi/id/product_serial': `${canaries.serial}\n`,
  '/sys/class/dmi/id/product_uuid': `${canaries.systemUuid}\n`,
  '/sys/block/sda/size': '1875385008\n',
  '/sys/block/sda/device/serial': `${canaries.disk}\n`,
  '/sys/block/sda/serial': `${canaries.disk}\n`,
  '/sys/devices/pci0000:00/0000:05:00.0/vendor': '0x1002\n',
  '/sys/devices/pci0000:00/0000:05:00.0/device': '0x74a1\n',
  '/sys/devices/pci0000:00/0000:05:00.0/class': '0x120000\n',
  '/sys/devices/pci0000:00/0000:05:00.0/mem_info_vram_total': '206141652992\n',
  '/sys/devices/pci0000:00/0000:05:00.0/mem_info_vram_used': '299892736\n',
  '/sys/devices/pci0000:00/0000:05:00.0/gpu_busy_percent': '12\n',
  '/sys/devices/pci0000:00/0000:05:00.0/unique_id': `${canaries.gpu}\n`,
  '/sys/devices/pci0000:00/0000:06:00.0/vendor': '0x8086\n',
  '/sys/devices/pci0000:00/0000:06:00.0/device': '0x1563\n',
  '/sys/devices/pci0000:00/0000:06:00.0/class': '0x020000\n',
  '/sys/devices/pci0000:00/0000:06:00.0/net/eth0/address': `${canaries.mac}\n`,
};

// path -> target
const links: Readonly<Record<string, string>> = {
  '/sys/bus/pci/devices/0000:05:00.0': '../../../devices/pci0000:00/0000:05:00.0',
  '/sys/bus/pci/devices/0000:06:00.0': '../../../devices/pci0000:00/0000:06:00.0',
  '/sys/devices/pci0000:00/0000:06:00.0/net/eth0/device': '../../../0000:06:00.0',
  '/sys/class/net/eth0': '../../devices/pci0000:00/0000:06:00.0/net/eth0',
};

/** Writes the root filesystem of a machine with one GPU, whose serial numbers and addresses are the canaries. */
export async function writeCanaryMachine(root: string): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  }
  for (const [path, target] of Object.entries(links)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await symlink(target, join(root, path));
  }
}
