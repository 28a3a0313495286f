import { create, toBinary } from '@bufbuild/protobuf';
import { ResourceRequestSchema, VolumeKind } from '@quartermaster/api/cluster';
import { type Group, GroupSchema } from '@quartermaster/api/market';
import { formatDecimal, parseDecimal } from '@quartermaster/kernel';
import { type FaultList, pointer } from './fault-list.ts';
import type { GroupFigures, UnitFigures } from './group-figures.ts';

/** Encoded; what the cluster service takes. */
const maxRequestBytes = 32 * 1024;

const kinds = { ephemeral: VolumeKind.EPHEMERAL, ram: VolumeKind.RAM, persistent: VolumeKind.PERSISTENT } as const;

/** Of figures within the limits. */
export function groupMessages(groups: readonly GroupFigures[], faults: FaultList): Group[] {
  return groups.map((group, at) => {
    const message = groupMessage(group, at + 1);
    const resources = message.spec?.resources;
    if (resources !== undefined && toBinary(ResourceRequestSchema, resources).length > maxRequestBytes) {
      const text = `the order of this placement would have more than ${maxRequestBytes} bytes: use shorter names, or fewer volumes and GPU models`;
      faults.add(pointer('profiles', 'placement', group.name), 'TooLarge', text);
    }
    return message;
  });
}

function groupMessage(group: GroupFigures, gseq: number): Group {
  const { name, units, services, attributes, signedByAllOf, signedByAnyOf } = group;
  return create(GroupSchema, {
    gseq,
    name,
    spec: {
      resources: { units: units.map(unitMessage) },
      requirements: {
        attributes: Object.fromEntries(attributes.map(({ key, value }) => [key, value])),
        signedByAllOf: [...signedByAllOf],
        signedByAnyOf: [...signedByAnyOf],
      },
      maxPrice: {
        denom: units[0]?.price.denom ?? '',
        amount: formatDecimal(units.reduce((sum, unit) => sum + priceOf(unit) * BigInt(unit.count), 0n)),
      },
      unitPrices: Object.fromEntries(units.map((unit) => [unit.id, { denom: unit.price.denom, amount: formatDecimal(priceOf(unit)) }])),
      httpEndpoints: Object.fromEntries(units.flatMap(({ id, httpEndpoints }) => (httpEndpoints === 0 ? [] : [[id, httpEndpoints]]))),
      services: [...services],
    },
  });
}

/** Of one replica, in 10^-18. */
const priceOf = ({ price }: UnitFigures): bigint => parseDecimal(price.amount) ?? 0n;

function unitMessage(unit: UnitFigures) {
  return {
    id: unit.id,
    count: unit.count,
    cpuMillis: BigInt(unit.cpuMillis),
    memoryBytes: BigInt(unit.memoryBytes),
    ...(unit.gpus === 0 ? {} : { gpus: { count: unit.gpus, wants: unit.wants.map(wantMessage) } }),
    volumes: unit.volumes.map(({ name, bytes, kind, storageClass }) => ({ name, bytes: BigInt(bytes), kind: kinds[kind], storageClass })),
    randomPorts: unit.randomPorts,
    leasedIps: [...unit.leasedIps],
  };
}

function wantMessage({ vendor, model, memoryBytes, interface: form }: UnitFigures['wants'][number]) {
  return {
    vendor,
    model,
    ...(memoryBytes === undefined ? {} : { memoryBytes: BigInt(memoryBytes) }),
    ...(form === undefined ? {} : { interface: form }),
  };
}
