import { amountText, unequalTexts, withWhat } from '@quartermaster/api/states';
import { type FieldViolation, invalidFields } from '@quartermaster/kernel';
import { bytesOf, type GpuNeed, type GpuWant, type Request, type Unit, type Volume } from './request.ts';

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
  if (units.length === 0 || units.length > maxUnits)
    refuse(violations, 'units', `has ${units.length} units; it must have 1 to ${maxUnits}`);
  // More of them would only make the error long.
  for (let at = 0; at < Math.min(units.length, maxUnits); at += 1) {
    const unit = units[at] as Unit;
    if (isTaken(units, at, 'id')) refuse(violations, `units[${at}].id`, `is ${unit.id}, as another unit's; ids must be unique`);
    checkUnit(unit, at, violations);
  }
  if (violations.length === 0) checkTotals(units, violations);
  if (violations.length > 0) throw invalidFields(violations);
}

type Violations = FieldViolation[];

const refuse = (violations: Violations, field: string, description: string): void => void violations.push({ field, description });

/** Texts are made only of what breaks a rule: nearly no request does. */
function checkUnit(unit: Unit, unitAt: number, violations: Violations): void {
  checkRange(violations, unitAt, 'count', unit.count, unitLimits.count, 'replicas');
  checkRange(violations, unitAt, 'cpu_millis', unit.cpuMillis, unitLimits.cpuMillis, 'millicores');
  checkRange(violations, unitAt, 'memory_bytes', unit.memoryBytes, unitLimits.memoryBytes, 'bytes');
  checkRange(violations, unitAt, 'random_ports', unit.randomPorts ?? 0, portLimits, 'endpoints');
  checkLength(violations, unitAt, 'leased_ips', unit.leasedIps?.length ?? 0, maxListed.endpoints);
  if (unit.gpus !== undefined) {
    checkRange(violations, unitAt, 'gpus.count', unit.gpus.count, unitLimits.gpus, 'cards');
    if (checkLength(violations, unitAt, 'gpus.wants', unit.gpus.wants.length, maxListed.wants)) checkWants(unit.gpus, unitAt, violations);
  }
  if (!checkLength(violations, unitAt, 'volumes', unit.volumes.length, maxListed.volumes)) return;
  for (let at = 0; at < unit.volumes.length; at += 1) {
    const volume = unit.volumes[at] as Volume;
    checkRange(violations, unitAt, 'bytes', volume.bytes, unitLimits.volumeBytes, 'bytes', at);
    if (isTaken(unit.volumes, at, 'name'))
      refuse(violations, `units[${unitAt}].volumes[${at}].name`, `is "${volume.name}", as another volume's; names must be unique`);
    if (volume.kind === 'persistent' && (volume.class === '' || volume.class === 'ram')) {
      const description = `is "${volume.class}"; a persistent volume needs a class such as default or beta3`;
      refuse(violations, `units[${unitAt}].volumes[${at}].storage_class`, description);
    }
  }
}

function checkRange(
  violations: Violations,
  unitAt: number,
  field: string,
  value: number,
  range: Range,
  unitName: string,
  volumeAt?: number,
): void {
  if (Number.isSafeInteger(value) && value >= range.min && value <= range.max) return;
  const path = volumeAt === undefined ? field : `volumes[${volumeAt}].${field}`;
  const rule = `it must be a whole number of ${unitName} from ${range.min} to ${range.max}${rangeWords(range, unitName)}`;
  refuse(violations, `units[${unitAt}].${path}`, `is ${value}; ${rule}`);
}

function checkLength(violations: Violations, unitAt: number, field: string, length: number, max: number): boolean {
  if (length > max) refuse(violations, `units[${unitAt}].${field}`, `has ${length} entries; it must have at most ${max}`);
  return length <= max;
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

function checkWants({ count, wants }: GpuNeed, unitAt: number, violations: Violations): void {
  if (count > 0 && wants.length === 0) {
    refuse(violations, `units[${unitAt}].gpus.wants`, 'is empty; say which cards will do, with the model * for any of a vendor');
  }
  for (let at = 0; at < wants.length; at += 1) {
    const want = wants[at] as GpuWant;
    if (want.vendor === '' || want.model === '') {
      refuse(violations, `units[${unitAt}].gpus.wants[${at}]`, 'needs a vendor and a model, with the model * for any');
    }
    if (want.memoryBytes !== undefined && !(Number.isSafeInteger(want.memoryBytes) && want.memoryBytes > 0)) {
      refuse(
        violations,
        `units[${unitAt}].gpus.wants[${at}].memory_bytes`,
        `is ${want.memoryBytes}; it must be a whole number of bytes above zero`,
      );
    }
  }
}

function checkTotals(units: readonly Unit[], violations: Violations): void {
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
  checkTotal(violations, 'cpu', cpu, unitLimits.cpuMillis.max * timesUnit);
  checkTotal(violations, 'gpu', cards, unitLimits.gpus.max * timesUnit);
  checkTotal(violations, 'memory', memory, unitLimits.memoryBytes.max * timesUnit);
  checkTotal(violations, 'storage/', storage, unitLimits.volumeBytes.max * timesUnit);
}

function checkTotal(violations: Violations, resource: string, sum: number, max: number): void {
  if (sum <= max) return;
  const [most, asked] = unequalTexts(resource, max, sum);
  const what = resource === 'storage/' ? `${asked} of storage` : withWhat(resource, asked);
  refuse(violations, 'units', `ask for ${what} together; a request may ask for at most ${most}`);
}
