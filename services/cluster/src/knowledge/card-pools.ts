import type { GpuDevice, GpuGroup, Node } from '@quartermaster/api/inventory';
import type { CardGroup, CardPool } from '../placement/stock-facts.ts';
import { type ReadAmount, readAmount, safe } from './safe-amount.ts';

export interface ReadGroup extends ReadAmount {
  readonly group: CardGroup;
  /** Cards that are there. */
  readonly size: number;
  readonly resource: string;
  /** Whether a card of it is free, or may be: one that is in quarantine is not sold, but the device plugin may still pick it. */
  readonly mayBeFree: boolean;
}

/** The cards of a node that pods can ask for. */
export function readGroups({ gpus, devices }: Node): readonly ReadGroup[] {
  return gpus
    .filter(({ resource }) => resource !== '')
    .map((group) =>
      readGroup(
        group,
        devices.filter((device) => isOf(device, group)),
      ),
    );
}

function readGroup(group: GpuGroup, devices: readonly GpuDevice[]): ReadGroup {
  const { vendor, model, interface: form, resource, amount } = group;
  const field = `${resource} (${model})`;
  return {
    group: { vendor, model, interface: form, memoryBytes: safe(group.memoryBytes, `${field}.memory_bytes`) },
    resource,
    size: safe(amount?.capacity ?? 0n, `${field}.capacity`),
    // Without a device nothing is known of its cards but how many there are.
    mayBeFree: devices.length === 0 || devices.some(({ holder, mig }) => holder === undefined && mig?.enabled !== true),
    ...readAmount(amount, field),
  };
}

const isOf = (device: GpuDevice, group: GpuGroup): boolean =>
  device.vendor === group.vendor &&
  device.model === group.model &&
  device.interface === group.interface &&
  device.memoryBytes === group.memoryBytes;

/** Drivers that hand out devices by claims have names of domains; the resources of device plugins are named below a domain. */
const isClaimed = (resource: string): boolean => !resource.includes('/');

export function cardPools(groups: readonly ReadGroup[]): readonly CardPool[] {
  return [...Map.groupBy(groups, ({ resource }) => resource)].map(([resource, members]): CardPool => {
    if (isClaimed(resource)) {
      return { resource, assignedBy: 'claim', groups: members.map(({ group, size, free }) => ({ ...group, size, free })) };
    }
    const available = sum(members, ({ free }) => Math.max(free, 0));
    const maybe = members.filter(({ mayBeFree }) => mayBeFree);
    return {
      resource,
      assignedBy: 'plugin',
      size: sum(members, ({ size }) => size),
      // Each model counts cards that anybody may hold as its own: together they never have more than is free.
      free: available > 0 ? available : sum(members, ({ free }) => free),
      mayBeFree: (maybe.length === 0 ? members : maybe).map(({ group }) => group),
    };
  });
}

/** What is needed of a node to tell which cards its pods have. */
export interface NodeCards {
  /** Resource of a device plugin -> the groups of its cards. */
  readonly counted: ReadonlyMap<string, readonly CardGroup[]>;
  readonly devices: ReadonlyMap<string, DeviceCard>; // id -> card
}

interface DeviceCard {
  readonly resource: string;
  /** Handed out by claims. */
  readonly isClaimed: boolean;
  readonly group: CardGroup;
}

const noCards: NodeCards = { counted: new Map(), devices: new Map() };

export function nodeCards({ gpus, devices }: Node): NodeCards {
  if (gpus.length === 0) return noCards;
  // Where a claim stands behind a resource, the claim counts.
  const byClaimFirst = gpus.toSorted((a, b) => Number(isClaimed(b.resource)) - Number(isClaimed(a.resource)));
  const cards = devices.flatMap((device): [string, DeviceCard][] => {
    const group = byClaimFirst.find((each) => each.resource !== '' && isOf(device, each));
    if (group === undefined) return [];
    return [[device.id, { resource: group.resource, isClaimed: isClaimed(group.resource), group: cardGroup(group) }]];
  });
  const counted = gpus.filter(({ resource }) => resource !== '' && !isClaimed(resource));
  const byResource = [...Map.groupBy(counted, ({ resource }) => resource)];
  return { counted: new Map(byResource.map(([resource, groups]) => [resource, groups.map(cardGroup)])), devices: new Map(cards) };
}

const cardGroup = ({ vendor, model, interface: form, memoryBytes }: GpuGroup): CardGroup => ({
  vendor,
  model,
  interface: form,
  memoryBytes: Number(memoryBytes),
});

const sum = <T>(values: readonly T[], of: (value: T) => number): number => values.reduce((total, value) => total + of(value), 0);
