import { type MessageInitShape, toBinary } from '@bufbuild/protobuf';
import {
  type GpuWant as GpuWantMessage,
  type OrderId as OrderIdMessage,
  type OrderIdSchema,
  type ResourceRequest as ResourceRequestMessage,
  ResourceRequestSchema,
  type Unit as UnitMessage,
  VolumeKind,
  type Volume as VolumeMessage,
} from '@quartermaster/api/cluster';
import { type FieldViolation, fieldViolationsOf, invalidFields } from '@quartermaster/kernel';
import type { OrderId } from '../model/order.ts';
import type { GpuWant, Request, Unit, Volume } from '../placement/request.ts';
import { checkRequest } from '../placement/request-limits.ts';

/** What objects can hold: a longer text would be refused when it is too late for a good answer. */
const maxTexts = { owner: 256, name: 253, vendor: 64, model: 128, interface: 32 } as const;

/** Encoded. It is kept in an object, with its plan, and in the memory of every replica. */
const maxRequestBytes = 32 * 1024;

type Refuse = (field: string, description: string) => void;

/** The order that a call is about. Throws `invalid_argument` with the fields that are wrong. */
export function orderOf(message: OrderIdMessage | undefined, field = 'order'): OrderId {
  if (message === undefined) throw invalidFields([{ field, description: 'is missing: give owner, dseq, gseq and oseq' }]);
  const { owner, dseq, gseq, oseq } = message;
  if (owner === '') throw invalidFields([{ field: `${field}.owner`, description: 'is empty: give the account that ordered' }]);
  return { owner: checkedOwner(owner, `${field}.owner`), dseq, gseq, oseq };
}

/** For whom is asked; undefined where nobody is named. */
export const ownerOf = (owner: string): string | undefined => (owner === '' ? undefined : checkedOwner(owner, 'owner'));

/** It is told in messages, tables and logs. */
function checkedOwner(owner: string, field: string): string {
  if (owner.length > maxTexts.owner)
    throw invalidFields([{ field, description: `has ${owner.length} characters; it must have at most ${maxTexts.owner}` }]);
  if (/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u.test(owner)) {
    const description = 'has characters that cannot be seen, such as a line break: give the account as the network writes it';
    throw invalidFields([{ field, description }]);
  }
  return owner;
}

export function orderMessage({ owner, dseq, gseq, oseq }: OrderId): MessageInitShape<typeof OrderIdSchema> {
  return { owner, dseq, gseq, oseq };
}

/** What is asked for, within the limits of a request. Throws `invalid_argument` with every field that breaks a rule, by the names of the contract. */
export function requestOf(message: ResourceRequestMessage | undefined): Request {
  if (message === undefined) throw invalidFields([{ field: 'request', description: 'is missing: say what is asked for' }]);
  const violations: FieldViolation[] = [];
  const refuse: Refuse = (field, description) => void violations.push({ field: `request.${field}`, description });
  const request = { units: message.units.map((unit) => unitOf(unit)) };
  try {
    checkRequest(request);
  } catch (thrown) {
    const found = fieldViolationsOf(thrown);
    if (found.length === 0) throw thrown;
    for (const { field, description } of found) refuse(field, description);
  }
  // Lists are bounded by now, or the request is refused anyhow.
  if (violations.length === 0) for (const [at, unit] of message.units.entries()) checkTexts(unit, `units[${at}]`, refuse);
  if (violations.length > 0) throw invalidFields(violations);
  const { length } = toBinary(ResourceRequestSchema, message);
  if (length > maxRequestBytes) {
    const description = `has ${length} bytes encoded; it must have at most ${maxRequestBytes}: use shorter names, or fewer volumes and wants`;
    throw invalidFields([{ field: 'request', description }]);
  }
  return request;
}

export function requestMessage({ units }: Request): MessageInitShape<typeof ResourceRequestSchema> {
  return {
    units: units.map((unit) => ({
      id: unit.id,
      count: unit.count,
      cpuMillis: BigInt(unit.cpuMillis),
      memoryBytes: BigInt(unit.memoryBytes),
      gpus: unit.gpus && { count: unit.gpus.count, wants: unit.gpus.wants.map(wantMessage) },
      volumes: unit.volumes.map((volume) => ({
        name: volume.name,
        bytes: BigInt(volume.bytes),
        kind: kindMessages[volume.kind],
        storageClass: volume.kind === 'persistent' ? volume.class : '',
      })),
      randomPorts: unit.randomPorts ?? 0,
      leasedIps: [...(unit.leasedIps ?? [])],
    })),
  };
}

export function wantMessage({ vendor, model, memoryBytes, interface: form }: GpuWant) {
  return { vendor, model, memoryBytes: memoryBytes === undefined ? undefined : BigInt(memoryBytes), interface: form };
}

const kindMessages = { ephemeral: VolumeKind.EPHEMERAL, ram: VolumeKind.RAM, persistent: VolumeKind.PERSISTENT } as const;

const volumeKinds: ReadonlySet<VolumeKind> = new Set(Object.values(kindMessages));

function unitOf({ id, count, cpuMillis, memoryBytes, gpus, volumes, randomPorts, leasedIps }: UnitMessage): Unit {
  return {
    id,
    count,
    cpuMillis: Number(cpuMillis),
    memoryBytes: Number(memoryBytes),
    gpus: gpus === undefined || gpus.count === 0 ? undefined : { count: gpus.count, wants: gpus.wants.map(wantOf) },
    volumes: volumes.map(volumeOf),
    randomPorts: randomPorts === 0 ? undefined : randomPorts,
    leasedIps: leasedIps.length === 0 ? undefined : leasedIps,
  };
}

function wantOf({ vendor, model, memoryBytes, interface: form }: GpuWantMessage): GpuWant {
  return {
    vendor,
    model,
    memoryBytes: memoryBytes === undefined ? undefined : Number(memoryBytes),
    interface: form === '' ? undefined : form,
  };
}

/** One of no kind is refused by `checkTexts`. */
function volumeOf({ name, bytes, kind, storageClass }: VolumeMessage): Volume {
  const size = Number(bytes);
  if (kind === VolumeKind.PERSISTENT) return { kind: 'persistent', name, bytes: size, class: storageClass };
  return { kind: kind === VolumeKind.RAM ? 'ram' : 'ephemeral', name, bytes: size };
}

function checkTexts({ gpus, volumes, leasedIps }: UnitMessage, path: string, refuse: Refuse): void {
  const within = (field: string, text: string, max: number): void => {
    if (text.length > max) refuse(`${path}.${field}`, `has ${text.length} characters; it must have at most ${max}`);
  };
  for (const [at, { name, kind, storageClass }] of volumes.entries()) {
    within(`volumes[${at}].name`, name, maxTexts.name);
    within(`volumes[${at}].storage_class`, storageClass, maxTexts.name);
    if (!volumeKinds.has(kind)) refuse(`${path}.volumes[${at}].kind`, 'is missing: give EPHEMERAL, RAM or PERSISTENT');
    else if (kind !== VolumeKind.PERSISTENT && storageClass !== '')
      refuse(`${path}.volumes[${at}].storage_class`, `is "${storageClass}"; only a persistent volume has a class: leave it out`);
  }
  for (const [at, { vendor, model, interface: form = '' }] of (gpus?.wants ?? []).entries()) {
    within(`gpus.wants[${at}].vendor`, vendor, maxTexts.vendor);
    within(`gpus.wants[${at}].model`, model, maxTexts.model);
    within(`gpus.wants[${at}].interface`, form, maxTexts.interface);
  }
  for (const [at, name] of leasedIps.entries()) {
    within(`leased_ips[${at}]`, name, maxTexts.name);
    if (name === '') refuse(`${path}.leased_ips[${at}]`, 'is empty: name the endpoint');
  }
}
