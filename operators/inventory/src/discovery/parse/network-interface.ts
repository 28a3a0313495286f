import type { NicFacts } from '@quartermaster/api/node-hardware';
import { isJunkMac } from '@quartermaster/kernel';

/** What sysfs says of one entry of /sys/class/net that has a device behind it. */
export interface NetworkInterface {
  readonly name: string;
  readonly address: string | undefined;
  /** The card's own address while it is part of a bond and shows the bond's. */
  readonly permanentAddress?: string | undefined;
  readonly speed: string | undefined;
  readonly state: string | undefined;
  readonly driver?: string | undefined;
  readonly pciAddress?: string | undefined;
  readonly rdmaDevice?: string | undefined;
}

/** Ethernet has six bytes, InfiniBand twenty. Undefined when the entry has no address: then it is no network card. */
export function nicOf(entry: NetworkInterface): NicFacts | undefined {
  const mac = macOf(entry.permanentAddress) ?? macOf(entry.address);
  if (mac === undefined) return undefined;
  // A speed of -1, 0 or 2^32-1 says that there is no link or that nobody knows.
  const speed = Number(/^\s*(\d{1,8})\s*$/.exec(entry.speed ?? '')?.[1] ?? '0');
  return {
    name: entry.name,
    mac,
    pciAddress: entry.pciAddress,
    driver: entry.driver,
    speedMbps: speed === 0 ? undefined : speed,
    isUp: upOf(entry.state),
    rdmaDevice: entry.rdmaDevice,
  };
}

function macOf(text: string | undefined): string | undefined {
  const mac = text?.trim().toLowerCase() ?? '';
  if (!/^[0-9a-f]{2}(:[0-9a-f]{2}){5}((:[0-9a-f]{2}){14})?$/.test(mac)) return undefined;
  return isJunkMac(mac) ? undefined : mac;
}

function upOf(state: string | undefined): boolean | undefined {
  const said = state?.trim();
  if (said === 'up') return true;
  return said === 'down' || said === 'lowerlayerdown' || said === 'notpresent' || said === 'dormant' ? false : undefined;
}
