import type { MachineFacts } from '@quartermaster/api/node-hardware';
import { isJunkSerial } from '@quartermaster/kernel';
import { systemUuidOf, withoutJunk } from '../parse/junk-text.ts';
import type { Readings } from './readings.ts';

const dmi = '/sys/class/dmi/id';
const deviceTree = '/proc/device-tree';

/** Who the machine is. Firmware tables, or the device tree where there are none; whatever a maker did not fill in is absent. */
export async function readIdentity(readings: Readings): Promise<MachineFacts> {
  const firstOf = async (paths: readonly string[], tells: (text: string) => boolean): Promise<string | undefined> => {
    for (const path of paths) {
      const text = withoutJunk(await readings.text(path));
      if (text !== undefined && tells(text)) return text;
    }
    return undefined;
  };
  const first = async (...paths: string[]): Promise<string | undefined> => await firstOf(paths, () => true);
  const serials = [`${dmi}/product_serial`, `${dmi}/chassis_serial`, `${dmi}/board_serial`, `${deviceTree}/serial-number`];
  return {
    hostname: await first('/etc/hostname', '/proc/sys/kernel/hostname'),
    manufacturer: await first(`${dmi}/sys_vendor`, `${dmi}/board_vendor`),
    product: await first(`${dmi}/product_name`, `${dmi}/board_name`, `${deviceTree}/model`),
    serial: await firstOf(serials, (text) => !isJunkSerial(text)),
    systemUuid: systemUuidOf(await readings.text(`${dmi}/product_uuid`)),
    kernel: await first('/proc/sys/kernel/osrelease'),
  };
}
