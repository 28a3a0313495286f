import type { DiskFacts } from '@quartermaster/api/node-hardware';
import { withoutJunk } from './junk-text.ts';

/** What sysfs says of one entry of /sys/block. */
export interface BlockDevice {
  readonly name: string;
  /** Sectors of 512 bytes, whatever the disk's own are. */
  readonly sectors: string | undefined;
  readonly isRotational: boolean;
  readonly isRemovable: boolean;
  readonly isReadOnly: boolean;
  readonly vendor?: string | undefined;
  readonly model?: string | undefined;
  readonly serial?: string | undefined;
  /** Where the device hangs, from its link; tells what is made by the kernel or hangs on USB. */
  readonly path?: string | undefined;
}

/** Made of memory, files or other disks, remote ends, media that come and go, and the inner parts of a disk that has an entry itself. */
const notDisks = /^(loop|zram|ram|dm-|md|sr|scd|fd|nbd|drbd|rbd|zd|bcache|mtdblock|pmem.*s$)|^mmcblk\d+(boot\d|rpmb)|^nvme\d+c\d+n\d+$/;

const virtualNames = /^(vd|xvd|ubd|dasd)/;
const virtualModels = /qemu|vmware|virtual|vbox|msft|virtio|elastic block store|google persistent|google pd|openstack|nutanix/i;

/** The disk behind an entry, or undefined when it is none that could hold data of its own. */
export function diskOf(device: BlockDevice): DiskFacts | undefined {
  if (notDisks.test(device.name) || device.isRemovable || device.isReadOnly || device.path?.includes('/usb') === true) return undefined;
  const sectors = Number(/^\s*(\d{1,13})\s*$/.exec(device.sectors ?? '')?.[1] ?? '0');
  const sizeBytes = sectors * 512;
  if (sizeBytes === 0 || !Number.isSafeInteger(sizeBytes)) return undefined;
  const model = withoutJunk(device.model);
  return { name: device.name, kind: kindOf(device, model), sizeBytes, model, serial: withoutJunk(device.serial) };
}

function kindOf({ name, isRotational, vendor = '' }: BlockDevice, model = ''): DiskFacts['kind'] {
  if (virtualNames.test(name) || virtualModels.test(`${vendor} ${model}`)) return 'virtual';
  if (name.startsWith('nvme')) return 'nvme';
  return isRotational ? 'hdd' : 'ssd';
}

/** The serial number in SCSI's page 0x80: four bytes of header, the last two of them the length. */
export function parseUnitSerial(page: Uint8Array): string | undefined {
  if (page.length < 5 || page[1] !== 0x80) return undefined;
  const length = ((page[2] ?? 0) << 8) | (page[3] ?? 0);
  return withoutJunk(Buffer.from(page.subarray(4, 4 + length)).toString('latin1'));
}
