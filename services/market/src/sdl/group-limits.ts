import type { SDLInput } from '@akashnetwork/chain-sdk';
import { amountText } from '@quartermaster/api/states';
import { decimalDigits, formatDecimal, parseDecimal } from '@quartermaster/kernel';
import { type FaultList, pointer, quoted } from './fault-list.ts';
import type { GroupFigures, UnitFigures, VolumeFigures } from './group-figures.ts';
import { maxPrice } from './sdl-rules.ts';

const Mi = 2 ** 20;
const Ti = 2 ** 40;

/** The network's own limits. A group may ask for 50 times the most of a unit. */
const limits = {
  cpuMillis: { min: 10, max: 384_000 },
  gpus: { min: 0, max: 24 },
  memoryBytes: { min: Mi, max: 2 * Ti },
  volumeBytes: { min: 5 * Mi, max: 32 * Ti },
} as const;
const timesUnit = 50;
const maxReplicas = 50;
const maxUnits = 20;
/** Each is an order, which every provider reads. */
const maxGroups = 20;
/** Ours, as the cluster service has it. */
const maxEndpoints = 64;

/** What a group asks for must be what orders may ask for. */
export function checkLimits(groups: readonly GroupFigures[], sdl: SDLInput, faults: FaultList): void {
  if (groups.length > maxGroups) {
    const message = `services are deployed to ${groups.length} placements; at most ${maxGroups} may be: make several deployments of it`;
    faults.add(pointer('profiles', 'placement'), 'OutOfRange', message);
    return;
  }
  for (const group of groups) {
    const placement = pointer('profiles', 'placement', group.name);
    if (group.units.length > maxUnits) {
      faults.add(
        placement,
        'OutOfRange',
        `${group.units.length} compute profiles are deployed to this placement; at most ${maxUnits} may be: use another placement, or share profiles`,
      );
    }
    for (const unit of group.units) {
      const users = group.services.filter((service) => service.unit === unit.id).map(({ name }) => name);
      const profile = sdl.deployment[users[0] ?? '']?.[group.name]?.profile ?? '';
      checkUnit(unit, sdl, profile, faults);
      if (unit.count > maxReplicas) {
        const rule = `it may have at most ${maxReplicas}, counting all services that use it there`;
        faults.add(
          pointer('deployment', users.at(-1) ?? '', group.name, 'count'),
          'OutOfRange',
          `the profile ${quoted(profile)} has ${unit.count} replicas in this placement; ${rule}`,
        );
      }
      if (Math.max(unit.randomPorts + unit.httpEndpoints, unit.leasedIps.length) > maxEndpoints) {
        faults.add(
          pointer('services', users.at(-1) ?? '', 'expose'),
          'OutOfRange',
          `the services that use the profile ${quoted(profile)} expose more than ${maxEndpoints} ports to the world: expose fewer`,
        );
      }
    }
    checkDenoms(group, placement, faults);
    if (faults.isEmpty) checkTotals(group, placement, faults);
    if (faults.isEmpty) checkPrice(group, placement, faults);
  }
}

function checkUnit(unit: UnitFigures, sdl: SDLInput, profile: string, faults: FaultList): void {
  const path = pointer('profiles', 'compute', profile, 'resources');
  const within = (at: string, field: string, value: number, { min, max }: { min: number; max: number }, resource: string): void => {
    if (value >= min && value <= max) return;
    const [least, most] = [amountText(resource, min), amountText(resource, max)];
    const asked = Number.isNaN(value) ? 'is not a whole number' : `is ${amountText(resource, value)}`;
    faults.add(`${path}/${at}`, 'OutOfRange', `${field} ${asked}; it must be from ${least} to ${most}`);
  };
  if (Number.isNaN(unit.cpuMillis)) {
    faults.add(`${path}/cpu/units`, 'NotWhole', 'units is not a whole number of millicores: write it as millicores, such as 1005m');
  } else {
    within('cpu/units', 'units', unit.cpuMillis, limits.cpuMillis, 'cpu');
  }
  within('memory/size', 'size', unit.memoryBytes, limits.memoryBytes, 'memory');
  within('gpu/units', 'units', unit.gpus, limits.gpus, 'gpu');
  const isList = Array.isArray(sdl.profiles.compute[profile]?.resources.storage);
  for (const [at, volume] of unit.volumes.entries()) {
    within(isList ? `storage/${at}/size` : 'storage/size', 'size', volume.bytes, limits.volumeBytes, 'memory');
  }
}

function checkDenoms({ units }: GroupFigures, placement: string, faults: FaultList): void {
  const denoms = new Set(units.map(({ price }) => price.denom));
  if (denoms.size < 2) return;
  faults.add(
    `${placement}/pricing`,
    'MixedDenoms',
    `prices of one placement must be of one denom, and here are ${[...denoms].map(quoted).join(' and ')}: choose one`,
  );
}

/** Prices were read before. */
function checkPrice({ units }: GroupFigures, placement: string, faults: FaultList): void {
  const most = maxPrice * BigInt(timesUnit) * 10n ** BigInt(decimalDigits);
  const total = units.reduce((sum, { price, count }) => sum + (parseDecimal(price.amount) ?? 0n) * BigInt(count), 0n);
  if (total <= most) return;
  const rule = `they may pay at most ${formatDecimal(most)}: use several placements`;
  faults.add(`${placement}/pricing`, 'OutOfRange', `all replicas of this placement pay ${formatDecimal(total)} for each block; ${rule}`);
}

function checkTotals({ units }: GroupFigures, placement: string, faults: FaultList): void {
  const total = (of: (unit: UnitFigures) => number): number => units.reduce((sum, unit) => sum + of(unit) * unit.count, 0);
  const within = (what: string, sum: number, unitMax: number, resource: string): void => {
    if (sum <= unitMax * timesUnit) return;
    const asked = amountText(resource, sum);
    faults.add(
      placement,
      'OutOfRange',
      `all replicas of this placement ask for ${asked} of ${what}; at most ${amountText(resource, unitMax * timesUnit)} may be asked for: use several placements`,
    );
  };
  within(
    'CPU',
    total(({ cpuMillis }) => cpuMillis),
    limits.cpuMillis.max,
    'cpu',
  );
  within(
    'GPUs',
    total(({ gpus }) => gpus),
    limits.gpus.max,
    'gpu',
  );
  within(
    'memory',
    total((unit) => unit.memoryBytes + bytesOf(unit, (kind) => kind === 'ram')),
    limits.memoryBytes.max,
    'memory',
  );
  within(
    'storage',
    total((unit) => bytesOf(unit, (kind) => kind !== 'ram')),
    limits.volumeBytes.max,
    'memory',
  );
}

function bytesOf({ volumes }: UnitFigures, isCounted: (kind: VolumeFigures['kind']) => boolean): number {
  return volumes.reduce((sum, { kind, bytes }) => (isCounted(kind) ? sum + bytes : sum), 0);
}
