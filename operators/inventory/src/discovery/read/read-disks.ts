import type { DiskFacts } from '@quartermaster/api/node-hardware';
import { diskOf, parseUnitSerial } from '../parse/block-device.ts';
import type { Readings } from './readings.ts';

/** Undefined when the kernel's list of block devices could not be read. */
export async function readDisks(readings: Readings): Promise<readonly DiskFacts[] | undefined> {
  const names = await readings.names('/sys/block');
  if (names === undefined) {
    readings.problem('/sys/block could not be read: the disks are unknown');
    return undefined;
  }
  const disks: DiskFacts[] = [];
  for (const name of names) {
    const disk = await readDisk(readings, name);
    if (disk !== undefined) disks.push(disk);
  }
  return disks;
}

async function readDisk(readings: Readings, name: string): Promise<DiskFacts | undefined> {
  const folder = `/sys/block/${name}`;
  return diskOf({
    name,
    sectors: await readings.text(`${folder}/size`),
    isRotational: (await readings.quietText(`${folder}/queue/rotational`))?.trim() === '1',
    isRemovable: (await readings.quietText(`${folder}/removable`))?.trim() === '1',
    isReadOnly: (await readings.quietText(`${folder}/ro`))?.trim() === '1',
    vendor: await readings.quietText(`${folder}/device/vendor`),
    model: await readings.quietText(`${folder}/device/model`),
    serial: await readSerial(readings, folder),
    path: await readings.link(folder),
  });
}

/** NVMe has it with the device, virtio with the disk, SCSI and SATA in a page of their own. */
async function readSerial(readings: Readings, folder: string): Promise<string | undefined> {
  const text = (await readings.quietText(`${folder}/device/serial`)) ?? (await readings.quietText(`${folder}/serial`));
  if (text !== undefined && text.trim() !== '') return text;
  const page = await readings.bytes(`${folder}/device/vpd_pg80`);
  return page === undefined ? undefined : parseUnitSerial(page);
}
