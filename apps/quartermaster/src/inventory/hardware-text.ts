import { DiskKind, type Hardware } from '@quartermaster/api/inventory';
import type { Look } from '../text/listing.ts';
import { table } from '../text/table.ts';
import { sizeText, unknownText } from './amount-text.ts';
import { ageText } from './freshness-text.ts';

/** What a node is made of: a title and a text each. */
export function hardwareSections(hardware: Hardware | undefined, look: Look): readonly (readonly [string, string])[] {
  if (hardware?.observedAt === undefined) {
    return [['Hardware', 'not read yet: no discovery agent has reported from this node\n']];
  }
  return [
    [`Hardware, read ${ageText(hardware.observedAt, look.now)} ago`, machineText(hardware, look)],
    ['CPUs', cpusText(hardware)],
    ['Memory modules', modulesText(hardware, look)],
    ['Disks', disksText(hardware, look)],
    ['Network interfaces', nicsText(hardware)],
  ];
}

function machineText({ machine, architecture, memoryBytes, agentVersion }: Hardware, look: Look): string {
  const { manufacturer, product, serial, systemUuid, kernel, hostname } = machine ?? {};
  const known = (value: string | undefined): string => value ?? unknownText;
  return table(
    ['machine', [manufacturer, product].filter((part) => part !== undefined).join(' ') || unknownText],
    [
      ['serial', known(serial)],
      ['system UUID', known(systemUuid)],
      ['hostname', known(hostname)],
      ['kernel', known(kernel)],
      ['architecture', known(architecture)],
      ['memory', memoryBytes === undefined ? unknownText : sizeText(memoryBytes, look)],
      ['agent', known(agentVersion)],
    ],
  );
}

function cpusText({ cpus }: Hardware): string {
  if (cpus.length === 0) return `${unknownText}\n`;
  return table(
    ['SOCKET', 'VENDOR', 'MODEL', 'CORES', 'THREADS'],
    cpus.map(({ id, vendor, model, cores, threads }) => [id, vendor, model, String(cores), String(threads)]),
  );
}

function modulesText({ memoryModules }: Hardware, look: Look): string {
  if (memoryModules.length === 0) return `${unknownText}\n`;
  return table(
    ['SLOT', 'TYPE', 'SIZE', 'SPEED', 'MANUFACTURER'],
    memoryModules.map(({ slot, type, sizeBytes, speedMtps, manufacturer }) => [
      slot ?? unknownText,
      type ?? unknownText,
      sizeText(sizeBytes, look),
      speedMtps === undefined ? unknownText : `${speedMtps} MT/s`,
      manufacturer ?? unknownText,
    ]),
  );
}

const diskKinds: Readonly<Partial<Record<DiskKind, string>>> = {
  [DiskKind.NVME]: 'NVMe',
  [DiskKind.SSD]: 'SSD',
  [DiskKind.HDD]: 'HDD',
  [DiskKind.VIRTUAL]: 'virtual',
};

function disksText({ disks }: Hardware, look: Look): string {
  if (disks.length === 0) return `${unknownText}\n`;
  return table(
    ['NAME', 'KIND', 'SIZE', 'MODEL', 'SERIAL'],
    disks.map(({ name, kind, sizeBytes, model, serial }) => [
      name,
      diskKinds[kind] ?? unknownText,
      sizeText(sizeBytes, look),
      model ?? unknownText,
      serial ?? unknownText,
    ]),
  );
}

function nicsText({ nics }: Hardware): string {
  if (nics.length === 0) return `${unknownText}\n`;
  return table(
    ['NAME', 'MAC', 'SPEED', 'LINK', 'DRIVER', 'RDMA', 'PCI'],
    nics.map(({ name, mac, speedMbps, isUp, driver, rdmaDevice, pciAddress }) => [
      name,
      mac,
      speedMbps === undefined ? unknownText : speedMbps >= 1000 ? `${speedMbps / 1000} Gbit/s` : `${speedMbps} Mbit/s`,
      isUp === undefined ? unknownText : isUp ? 'up' : 'down',
      driver ?? unknownText,
      rdmaDevice ?? '-',
      pciAddress ?? unknownText,
    ]),
  );
}
