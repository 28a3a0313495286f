import { amountText, unequalTexts, withWhat } from '@quartermaster/api/states';
import { type FieldViolation, invalidFields } from '@quartermaster/kernel';
import { bytesOf, type GpuNeed, type Request, type Unit, type Volume } from './request.ts';

interface Range {
  readonly min: number;
  readonly max: number;
}

const Mi = 2 ** 20;
const Ti = 2 ** 40;

/** What one unit may ask for; the network's own limits. Groups as a whole may ask for 50 times the most of a unit. */
export const unitLimits = {
  cpuMillis: { min: 10, max: 384_000 },
  gpus: { min: 0, max: 24 },
  memoryBytes: { min: Mi, max: 2 * Ti },
  volumeBytes: { min: 5 * Mi, max: 32 * Ti },
  count: { min: 1, max: 50 },
} as const;

const timesUnit = 50;
const maxUnits = 20;
/** Ours: what a request may hold of things that the network does not count. */
const maxListed = { volumes: 16, wants: 64, endpoints: 64 };
const portLimits: Range = { min: 0, max: maxListed.endpoints };

/** Throws `invalid_argument` with every field that breaks a rule. Everything that placing costs is bounded by it. */
export function checkRequest({ units }: Request): void {
  const violations: FieldViolation[] = [];
  const refuse = (field: string, description: string): void => void violations.push({ field, description });
  if (units.length === 0 || units.length > maxUnits) refuse('units', `has ${units.length} units; it must have 1 to ${maxUnits}`);
  // More of them would only make the error long.
  for (let at = 0; at < Math.min(units.length, maxUnits); at += 1) {
    const unit = units[at] as Unit;
    if (isTaken(units, at, 'id')) refuse(`units[${at}].id`, `is ${unit.id}, as another unit's; ids must be unique`);
    checkUnit(unit, at, refuse);
  }
  if (violations.length === 0) checkTotals(units, refuse);
  if (violations.length > 0) throw invalidFields(violations);
}

type Refuse = (field: string, description: string) => void;

/** Texts are made only of what breaks a rule: nearly no request does. */
function checkUnit(unit: Unit, unitAt: number, refuse: Refuse): void {
  const within = (field: string, value: number, range: Range, unitName: string, volumeAt?: number): void => {
    if (Number.isSafeInteger(value) && value >= range.min && value <= range.max) return;
    const path = volumeAt === undefined ? field : `volumes[${volumeAt}].${field}`;
    refuse(
      `units[${unitAt}].${path}`,
      `is ${value}; it must be a whole number of ${unitName} from ${range.min} to ${range.max}${rangeWords(range, unitName)}`,
    );
  };
  const listed = (field: string, length: number, max: number): boolean => {
    if (length > max) refuse(`units[${unitAt}].${field}`, `has ${length} entries; it must have at most ${max}`);
    return length <= max;
  };
  within('count', unit.count, unitLimits.count, 'replicas');
  within('cpu_millis', unit.cpuMillis, unitLimits.cpuMillis, 'millicores');
  within('memory_bytes', unit.memoryBytes, unitLimits.memoryBytes, 'bytes');
  within('random_ports', unit.randomPorts ?? 0, portLimits, 'endpoints');
  listed('leased_ips', unit.leasedIps?.length ?? 0, maxListed.endpoints);
  if (unit.gpus !== undefined) {
    within('gpus.count', unit.gpus.count, unitLimits.gpus, 'cards');
    if (listed('gpus.wants', unit.gpus.wants.length, maxListed.wants)) checkWants(unit.gpus, unitAt, refuse);
  }
  if (!listed('volumes', unit.volumes.length, maxListed.volumes)) return;
  for (let at = 0; at < unit.volumes.length; at += 1) {
    const volume = unit.volumes[at] as Volume;
    within('bytes', volume.bytes, unitLimits.volumeBytes, 'bytes', at);
    if (isTaken(unit.volumes, at, 'name'))
      refuse(`units[${unitAt}].volumes[${at}].name`, `is "${volume.name}", as another volume's; names must be unique`);
    if (volume.kind === 'persistent' && (volume.class === '' || volume.class === 'ram')) {
      refuse(
        `units[${unitAt}].volumes[${at}].storage_class`,
        `is "${volume.class}"; a persistent volume needs a class such as default or beta3`,
      );
    }
  }
}

/** By one before it. */
function isTaken<T>(list: readonly T[], at: number, field: keyof T): boolean {
  for (let before = 0; before < at; before += 1) if (list[before]?.[field] === list[at]?.[field]) return true;
  return false;
}

const measured: Readonly<Record<string, string>> = { millicores: 'cpu', bytes: 'memory' };

/** As people write it, beside the integers of the contract. */
function rangeWords({ min, max }: Range, unitName: string): string {
  const resource = measured[unitName];
  return resource === undefined ? '' : ` (${amountText(resource, min)} to ${amountText(resource, max)})`;
}

function checkWants({ count, wants }: GpuNeed, unitAt: number, refuse: Refuse): void {
  if (count > 0 && wants.length === 0) {
    refuse(`units[${unitAt}].gpus.wants`, 'is empty; say which cards will do, with the model * for any of a vendor');
  }
  for (const [at, want] of wants.entries()) {
    if (want.vendor === '' || want.model === '') {
      refuse(`units[${unitAt}].gpus.wants[${at}]`, 'needs a vendor and a model, with the model * for any');
    }
    if (want.memoryBytes !== undefined && !(Number.isSafeInteger(want.memoryBytes) && want.memoryBytes > 0)) {
      refuse(`units[${unitAt}].gpus.wants[${at}].memory_bytes`, `is ${want.memoryBytes}; it must be a whole number of bytes above zero`);
    }
  }
}

function checkTotals(units: readonly Unit[], refuse: Refuse): void {
  let cpu = 0;
  let cards = 0;
  let memory = 0;
  let storage = 0;
  for (const unit of units) {
    cpu += unit.cpuMillis * unit.count;
    cards += (unit.gpus?.count ?? 0) * unit.count;
    memory += (unit.memoryBytes + bytesOf(unit, 'ram')) * unit.count;
    storage += (bytesOf(unit, 'ephemeral') + bytesOf(unit, 'persistent')) * unit.count;
  }
  const within = (resource: string, sum: number, max: number, what = (text: string): string => withWhat(resource, text)): void => {
    if (sum <= max) return;
    const [most, asked] = unequalTexts(resource, max, sum);
    refuse('units', `ask for ${what(asked)} together; a request may ask for at most ${most}`);
  };
  within('cpu', cpu, unitLimits.cpuMillis.max * timesUnit);
  within('gpu', cards, unitLimits.gpus.max * timesUnit);
  within('memory', memory, unitLimits.memoryBytes.max * timesUnit);
  within('storage/', storage, unitLimits.volumeBytes.max * timesUnit, (text) => `${text} of storage`);
}
