import { bytes, messageOf, StatusError } from '@quartermaster/kernel';
import { parseDocument } from 'yaml';
import shipped from './gpu-database.json' with { type: 'json' };

/** What is known of one kind of card. */
export interface GpuModel {
  /** As labels and orders write it: rtx4090, a100, mi300x. */
  readonly name: string;
  /** PCIe, SXM4 …; empty when not known. */
  readonly interface: string;
  /** 0 when not known. */
  readonly memoryBytes: number;
}

export interface GpuVendor {
  /** As labels and orders write it: nvidia, amd. */
  readonly name: string;
  /** PCI product id -> model */
  readonly devices: ReadonlyMap<string, GpuModel>;
}

/** PCI vendor id -> vendor. Ids are four lower-case hex digits. */
export type GpuDatabase = ReadonlyMap<string, GpuVendor>;

const idPattern = /^[0-9a-f]{4}$/;
const namePattern = /^[a-z0-9]([-a-z0-9._]{0,61}[a-z0-9])?$/;
const interfacePattern = /^([A-Za-z0-9]([-A-Za-z0-9._]{0,30}[A-Za-z0-9])?)?$/;
const knownFields = new Set(['name', 'interface', 'memory_size']);

/** The database that comes with the operator. */
export function shippedGpuDatabase(): GpuDatabase {
  return readGpuDatabase(shipped);
}

/**
 * The first with what the second says of each device and vendor: what only the first knows stays. What the second leaves open of a device of the
 * same name, the first fills in.
 */
export function mergedGpuDatabase(base: GpuDatabase, newer: GpuDatabase): GpuDatabase {
  const merged = new Map(base);
  for (const [id, { name, devices }] of newer) {
    const known = base.get(id)?.devices ?? new Map<string, GpuModel>();
    const completed = Array.from(devices, ([product, model]): [string, GpuModel] => [product, completedBy(model, known.get(product))]);
    merged.set(id, { name, devices: new Map([...known, ...completed]) });
  }
  return merged;
}

function completedBy(model: GpuModel, known: GpuModel | undefined): GpuModel {
  if (known?.name !== model.name) return model;
  return { name: model.name, interface: model.interface || known.interface, memoryBytes: model.memoryBytes || known.memoryBytes };
}

export function deviceCount(database: GpuDatabase): number {
  let count = 0;
  for (const { devices } of database.values()) count += devices.size;
  return count;
}

/**
 * Reads `{"<vendor id>": {"name", "devices": {"<product id>": {"name", "interface", "memory_size"}}}}`. `interface` and `memory_size` may be
 * empty or absent. Throws `invalid_argument` naming the first field that breaks a rule: half a database is worse than the last good one.
 */
export function parseGpuDatabase(text: string): GpuDatabase {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (thrown) {
    throw new StatusError('invalid_argument', `GPU database: not JSON (${messageOf(thrown)})`);
  }
  return readGpuDatabase(value);
}

/**
 * The same format as JSON or YAML, from the text of a ConfigMap. Every scalar is read as text, so that ids such as 1e30 need no quotes.
 */
export function parseGpuOverrides(text: string): GpuDatabase {
  if (text.trim() === '') return new Map();
  const document = parseDocument(text, { schema: 'failsafe', prettyErrors: false });
  const [error] = document.errors;
  if (error !== undefined) throw new StatusError('invalid_argument', `GPU overrides: not YAML (${error.message})`);
  return readGpuDatabase(document.toJS());
}

function readGpuDatabase(value: unknown): GpuDatabase {
  const database = new Map<string, GpuVendor>();
  for (const [id, vendor] of entriesOf(value, '', 'an object of PCI vendor ids')) {
    const path = requireId(id, '', 'vendor');
    const fields = new Map(entriesOf(vendor, path, 'an object with name and devices'));
    for (const field of fields.keys()) {
      if (field !== 'name' && field !== 'devices') throw refusal(`${path}.${field}`, 'is not a field of a vendor: use name and devices');
    }
    database.set(id, { name: nameOf(fields.get('name'), `${path}.name`), devices: devicesOf(fields.get('devices'), `${path}.devices`) });
  }
  return database;
}

function devicesOf(value: unknown, path: string): ReadonlyMap<string, GpuModel> {
  const devices = new Map<string, GpuModel>();
  for (const [id, device] of entriesOf(value, path, 'an object of PCI product ids')) {
    devices.set(id, modelOf(device, requireId(id, path, 'product')));
  }
  return devices;
}

function modelOf(value: unknown, path: string): GpuModel {
  const fields = new Map(entriesOf(value, path, 'an object with name, interface and memory_size'));
  for (const field of fields.keys()) {
    if (!knownFields.has(field)) throw refusal(`${path}.${field}`, 'is not a field of a device: use name, interface and memory_size');
  }
  const form = textOf(fields.get('interface'), `${path}.interface`);
  if (!interfacePattern.test(form)) throw refusal(`${path}.interface`, 'must be letters and digits, such as PCIe or SXM5, or empty');
  return {
    name: nameOf(fields.get('name'), `${path}.name`),
    interface: form,
    memoryBytes: memoryOf(textOf(fields.get('memory_size'), `${path}.memory_size`), `${path}.memory_size`),
  };
}

function memoryOf(text: string, path: string): number {
  if (text === '') return 0;
  try {
    const size = bytes(text);
    if (size >= 0) return size;
  } catch {
    // Said below, with the field.
  }
  throw refusal(path, `${JSON.stringify(text)} must be a size such as 80Gi, or empty`);
}

function nameOf(value: unknown, path: string): string {
  const name = textOf(value, path);
  if (!namePattern.test(name))
    throw refusal(path, 'must be 1 to 63 lower-case letters, digits, dots or dashes, such as rtx4090: it becomes part of a label');
  return name;
}

function textOf(value: unknown, path: string): string {
  if (value === undefined) return '';
  if (typeof value !== 'string') throw refusal(path, 'must be a text');
  return value;
}

function requireId(id: string, path: string, what: string): string {
  const inside = path === '' ? id : `${path}.${id}`;
  if (!idPattern.test(id)) throw refusal(inside, `is not a PCI ${what} id: write four lower-case hex digits, such as 10de`);
  return inside;
}

function entriesOf(value: unknown, path: string, expected: string): [string, unknown][] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw refusal(path, `must be ${expected}`);
  return Object.entries(value);
}

function refusal(path: string, rule: string): StatusError {
  return new StatusError('invalid_argument', `GPU database${path === '' ? '' : ` ${path}`}: ${rule}`);
}
