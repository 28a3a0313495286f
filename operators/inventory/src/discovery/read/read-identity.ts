import type { MachineFacts } from '@quartermaster/api/node-hardware';
import { systemUuidOf, withoutJunk } from '../parse/junk-text.ts';
import type { Readings } from './readings.ts';

const dmi = '/sys/class/dmi/id';
const deviceTree = '/proc/device-tree';

/** Who the machine is. Firmware tables, or the device tree where there are none; whatever a maker did not fill in is absent. */
export async function readIdentity(readings: Readings): Promise<MachineFacts> {
  const first = async (...paths: string[]): Promise<string | undefined> => {
    for (const path of paths) {
      const text = withoutJunk(await readings.text(path));
      if (text !== undefined) return text;
    }
    return undefined;
  };
  const hostname = await first('/etc/hostname', '/proc/sys/kernel/hostname');
  const manufacturer = await first(`${dmi}/sys_vendor`, `${dmi}/board_vendor`);
  const product = await first(`${dmi}/product_name`, `${dmi}/board_name`, `${deviceTree}/model`);
  const serial = await first(`${dmi}/product_serial`, `${dmi}/chassis_serial`, `${dmi}/board_serial`, `${deviceTree}/serial-number`);
  const systemUuid = systemUuidOf((await readings.text(`${dmi}/product_uuid`)) ?? undefined);
  const kernel = await first('/proc/sys/kernel/osrelease');
  return {
    hostname,
    manufacturer,
    product,
    serial,
    systemUuid,
    kernel,
  };
}
