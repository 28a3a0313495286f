import type { JsonObject, JsonValue } from '@bufbuild/protobuf';
import { type GpuNeed, type GpuWant, type ResourceRequest, type Unit, type Volume, VolumeKind } from '@quartermaster/api/cluster';
import { formatQuantity, type Quantity, quantityFromMillis, quantityFromWhole } from '@quartermaster/kernel';
import { presentFields } from '../../text/json-path.ts';

/** The document from which `parseRequest` reads the same request. */
export const printRequest = ({ units }: ResourceRequest): JsonObject => ({ units: units.map(printUnit) });

function printUnit(unit: Unit, at: number): JsonObject {
  const { id, count, cpuMillis, memoryBytes, gpus, volumes, randomPorts, leasedIps } = unit;
  return presentFields({
    id: id === at + 1 ? undefined : id,
    count,
    cpu: amountOf(quantityFromMillis(cpuMillis)),
    memory: bytesOf(memoryBytes),
    gpu: gpus === undefined ? undefined : printGpus(gpus),
    storage: volumes.length === 0 ? undefined : volumes.map(printVolume),
    ports: randomPorts === 0 ? undefined : randomPorts,
    ips: leasedIps.length === 0 ? undefined : leasedIps,
  });
}

function printGpus({ count, wants }: GpuNeed): JsonObject {
  const [only] = wants;
  return only !== undefined && wants.length === 1 ? { count, ...printWant(only) } : { count, wants: wants.map(printWant) };
}

const printWant = ({ vendor, model, memoryBytes, interface: form }: GpuWant): JsonObject =>
  presentFields({ vendor, model, memory: memoryBytes === undefined ? undefined : bytesOf(memoryBytes), interface: form });

function printVolume({ name, bytes, kind, storageClass }: Volume): JsonObject {
  const isPersistent = kind === VolumeKind.PERSISTENT;
  return presentFields({
    name,
    size: bytesOf(bytes),
    persistent: isPersistent ? true : undefined,
    class: isPersistent ? storageClass : undefined,
    ram: kind === VolumeKind.RAM ? true : undefined,
  });
}

const bytesOf = (value: bigint): JsonValue => amountOf(quantityFromWhole(value, 'BinarySI'));

/** Without quotes in YAML where it is a number by itself. */
function amountOf(quantity: Quantity): JsonValue {
  const text = formatQuantity(quantity);
  return /^\d{1,15}$/.test(text) ? Number(text) : text;
}
