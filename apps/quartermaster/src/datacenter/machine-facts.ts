import type { MessageInitShape } from '@bufbuild/protobuf';
import type { HostClassFactsSchema, HostFactsSchema } from '@quartermaster/api/fulfillment-extras';
import type { Hardware, RackedMachine } from '@quartermaster/simulator';

const rackUnits = 48;
const unitsOf = (hardware: Hardware): number => (hardware.gpus.length > 0 ? 4 : 1);

/** A kind of machine as a class of hosts. */
export function classFacts(kind: string, hardware: Hardware): MessageInitShape<typeof HostClassFactsSchema> {
  const models = Map.groupBy(hardware.gpus, ({ model }) => model);
  const cards = [...models].map(([model, gpus]) => `${gpus.length} × ${model}`);
  const memory = hardware.memory.reduce((sum, { sizeGiB }) => sum + sizeGiB, 0);
  const parts = [`${hardware.sockets} × ${hardware.cpu.name}`, `${memory} GiB`, ...cards, `${hardware.disks.length} disks`];
  return { id: kind, name: kind, title: cards.length === 0 ? hardware.cpu.name : cards.join(', '), description: parts.join(', ') };
}

/** Places machines in their racks from the bottom up; one that no longer fits has no place. */
export class RackPlaces {
  readonly #next = new Map<string, number>(); // rack -> lowest free height unit

  take(rack: string, hardware: Hardware): { readonly rackUnit: number; readonly rackHeight: number } {
    const rackHeight = unitsOf(hardware);
    const rackUnit = this.#next.get(rack) ?? 1;
    if (rackUnit + rackHeight - 1 > rackUnits) return { rackUnit: 0, rackHeight };
    this.#next.set(rack, rackUnit + rackHeight);
    return { rackUnit, rackHeight };
  }
}

/** What a source would say of a simulated machine. Its controller has an address that leads nowhere. */
export function hostFacts(
  { name, kind, rack, hardware, isNode }: RackedMachine,
  place: { readonly rackUnit: number; readonly rackHeight: number },
  index: number,
): MessageInitShape<typeof HostFactsSchema> {
  const [first] = hardware.nics;
  const address = `${Math.floor(index / 65_536) + 64}.${Math.floor(index / 256) % 256}.${index % 256}`;
  return {
    sourceId: hardware.systemUuid,
    id: hardware.systemUuid,
    name,
    title: `${hardware.manufacturer} ${hardware.product}`,
    rack,
    ...place,
    class: kind,
    bootMac: first?.mac,
    bootIp: `100.${address}`,
    bmc: { url: `redfish-virtualmedia+https://simulated-bmc-${name}.invalid/redfish/v1/Systems/1`, user: 'simulated' },
    serial: hardware.serial,
    systemUuid: hardware.systemUuid,
    nics: { items: hardware.nics.map((nic) => ({ mac: nic.mac, name: nic.name, speedMbps: BigInt(Math.round(nic.speedMbps)) })) },
    labels: { 'quartermaster.dev/node': isNode ? name : '' },
  };
}
