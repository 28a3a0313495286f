import { create, type JsonObject, type JsonValue } from '@bufbuild/protobuf';
import {
  type GpuNeed,
  GpuNeedSchema,
  type GpuWant,
  GpuWantSchema,
  type ResourceRequest,
  ResourceRequestSchema,
  type Unit,
  UnitSchema,
  type Volume,
  VolumeKind,
  VolumeSchema,
} from '@quartermaster/api/cluster';
import { bytes, millicores } from '@quartermaster/kernel';
import { isJsonObject } from '../../text/json-path.ts';
import { FormReader, isAbsent, joined } from './form-reader.ts';

const unitFields = ['id', 'count', 'cpu', 'memory', 'gpu', 'storage', 'ports', 'ips'];
const gpuFields = ['count', 'vendor', 'model', 'memory', 'interface', 'wants'];
const wantFields = ['vendor', 'model', 'memory', 'interface'];
const volumeFields = ['name', 'size', 'class', 'persistent', 'ram'];

/** What most cards are. */
const defaultVendor = 'nvidia';
const anyModel = '*';
const defaultName = 'default';
const defaultClass = 'default';

// what else people call it, the contract among them -> its name in the form
const otherNames: ReadonlyMap<string, string> = new Map([
  ['replicas', 'count'],
  ['cpuMillis', 'cpu'],
  ['memoryBytes', 'memory'],
  ['gpus', 'gpu'],
  ['volumes', 'storage'],
  ['randomPorts', 'ports'],
  ['leasedIps', 'ips'],
  ['bytes', 'size'],
  ['storageClass', 'class'],
]);

/**
 * The request that a document describes: an object with `units`, or one unit by itself. Throws `invalid_argument` with the path of every field that breaks a
 * rule of the form; what may be asked for is for the service to say.
 */
export function parseRequest(document: JsonValue): ResourceRequest {
  const reader = new FormReader();
  const units = unitsIn(document, reader);
  reader.finish();
  return create(ResourceRequestSchema, { units: [...units] });
}

function unitsIn(document: JsonValue, reader: FormReader): readonly Unit[] {
  if (!isJsonObject(document)) {
    reader.refuse('', `must be an object with units, or one unit: ${unitFields.join(', ')}`);
    return [];
  }
  if (!('units' in document)) return [unitOf(document, '', 1, reader)];
  const { units } = reader.object(document, '', ['units']);
  return reader.list(units, 'units', 'units').map((unit, at) => unitOf(unit, `units[${at}]`, at + 1, reader));
}

function unitOf(value: JsonValue, path: string, position: number, reader: FormReader): Unit {
  const unit = reader.object(value, path, unitFields, otherNames);
  const at = (field: string): string => joined(path, field);
  return create(UnitSchema, {
    id: reader.count(unit['id'], at('id'), position),
    count: reader.count(unit['count'], at('count'), 1),
    cpuMillis: reader.amount(unit['cpu'], at('cpu'), '500m or 4', millicores),
    memoryBytes: reader.amount(unit['memory'], at('memory'), '16Gi', bytes),
    gpus: isAbsent(unit['gpu']) ? undefined : gpusOf(unit['gpu'], at('gpu'), reader),
    volumes: reader.list(unit['storage'], at('storage'), 'volumes').map((volume, i) => volumeOf(volume, `${at('storage')}[${i}]`, reader)),
    randomPorts: reader.count(unit['ports'], at('ports'), 0),
    leasedIps: reader.list(unit['ips'], at('ips'), 'names of endpoints').map((name, i) => reader.text(name, `${at('ips')}[${i}]`, '')),
  });
}

/** One kind of card that will do, or a list of them under `wants`. */
function gpusOf(value: JsonValue, path: string, reader: FormReader): GpuNeed {
  const gpu = reader.object(value, path, gpuFields);
  const { count, wants } = gpu;
  if (!isAbsent(wants)) {
    const beside = wantFields.find((field) => !isAbsent(gpu[field]));
    if (beside !== undefined) reader.refuse(`${path}.${beside}`, 'is beside wants, which has it for each kind of card: put it there');
  }
  const listed = isAbsent(wants) ? [wantOf(gpu, path, reader)] : reader.list(wants, `${path}.wants`, 'kinds of cards').map(inList);
  function inList(want: JsonValue, at: number): GpuWant {
    const wantPath = `${path}.wants[${at}]`;
    return wantOf(reader.object(want, wantPath, wantFields), wantPath, reader);
  }
  return create(GpuNeedSchema, { count: reader.count(count, `${path}.count`, 1), wants: listed });
}

function wantOf(want: JsonObject, path: string, reader: FormReader): GpuWant {
  const { vendor, model, memory, interface: form } = want;
  return create(GpuWantSchema, {
    vendor: reader.text(vendor, `${path}.vendor`, defaultVendor),
    model: reader.text(model, `${path}.model`, anyModel),
    memoryBytes: isAbsent(memory) ? undefined : reader.amount(memory, `${path}.memory`, '80Gi', bytes),
    interface: isAbsent(form) ? undefined : reader.text(form, `${path}.interface`, ''),
  });
}

function volumeOf(value: JsonValue, path: string, reader: FormReader): Volume {
  const volume = reader.object(value, path, volumeFields, otherNames);
  const isPersistent = reader.isTrue(volume['persistent'], `${path}.persistent`);
  const isRam = reader.isTrue(volume['ram'], `${path}.ram`);
  if (isPersistent && isRam) reader.refuse(`${path}.ram`, 'is gone with the pod, and persistent says that it stays: leave one of them out');
  if (!isAbsent(volume['class']) && !isPersistent) {
    const wayOut = volume['class'] === 'ram' ? 'say ram: true instead' : 'add persistent: true, or leave it out';
    reader.refuse(`${path}.class`, `is of persistent volumes alone: ${wayOut}`);
  }
  return create(VolumeSchema, {
    name: reader.text(volume['name'], `${path}.name`, defaultName),
    bytes: reader.amount(volume['size'], `${path}.size`, '100Gi', bytes),
    kind: isPersistent ? VolumeKind.PERSISTENT : isRam ? VolumeKind.RAM : VolumeKind.EPHEMERAL,
    storageClass: isPersistent ? reader.text(volume['class'], `${path}.class`, defaultClass) : '',
  });
}
