import type { MessageInitShape, UnknownField } from '@bufbuild/protobuf';
import { WireType } from '@bufbuild/protobuf/wire';
import { LeasePodSchema } from '@quartermaster/api/inventory';
import { serviceLabel } from '../model/lease-labels.ts';
import type { LeasePod } from '../model/snapshot.ts';
import { WireWriter } from './wire-writer.ts';

export function leasePodMessage(pod: LeasePod): MessageInitShape<typeof LeasePodSchema> {
  const { [serviceLabel]: service = '', ...leaseLabels } = pod.leaseLabels;
  const { cpuMillis, memoryBytes, ephemeralStorageBytes, extended } = pod.requests;
  return {
    uid: pod.uid,
    namespace: pod.namespace,
    namespaceUid: pod.namespaceUid,
    name: pod.name,
    leaseLabels,
    service,
    node: pod.node,
    cpuMillis: BigInt(cpuMillis),
    memoryBytes: BigInt(memoryBytes),
    ramBytes: BigInt(pod.ramBytes),
    ephemeralStorageBytes: BigInt(ephemeralStorageBytes),
    extended: Object.fromEntries([...extended].map(([resource, pieces]) => [resource, BigInt(pieces)])),
    devices: [...pod.devices],
  };
}

const writer = new WireWriter();
const { field } = LeasePodSchema;

/**
 * The same on the wire, for `$unknown` of a message whose repeated field `no` they are. Unlike nodes they are encoded anew for each message: there may be
 * many more of them, whole snapshots are rare, and the bytes of one would take more memory than all else that is kept of it.
 */
export function packedLeasePods(no: number, pods: readonly LeasePod[]): UnknownField[] {
  return pods.map((pod) => ({ no, wireType: WireType.LengthDelimited, data: encodeLeasePodValue(pod) }));
}

function encodeLeasePodValue(pod: LeasePod): Uint8Array {
  writer.begin();
  writer.lengthAnd(() => writeLeasePod(pod));
  return writer.take();
}

function writeLeasePod(pod: LeasePod): void {
  const { requests } = pod;
  writer.text(field.uid.number, pod.uid);
  writer.text(field.namespace.number, pod.namespace);
  writer.text(field.namespaceUid.number, pod.namespaceUid ?? '');
  writer.text(field.name.number, pod.name);
  for (const [key, value] of Object.entries(pod.leaseLabels)) {
    if (key === serviceLabel) writer.text(field.service.number, value);
    else writeEntry(field.leaseLabels.number, key, () => writer.text(entryValue, value));
  }
  writer.text(field.node.number, pod.node);
  writer.int64(field.cpuMillis.number, requests.cpuMillis);
  writer.int64(field.memoryBytes.number, requests.memoryBytes);
  writer.int64(field.ramBytes.number, pod.ramBytes);
  writer.int64(field.ephemeralStorageBytes.number, requests.ephemeralStorageBytes);
  for (const [resource, pieces] of requests.extended) {
    writeEntry(field.extended.number, resource, () => writer.int64(entryValue, pieces));
  }
  for (const device of pod.devices) writer.text(field.devices.number, device);
}

/** An entry of a map is a message whose fields are the key and the value. */
const entryKey = 1;
const entryValue = 2;

function writeEntry(no: number, key: string, writeValue: () => void): void {
  writer.message(no, () => {
    writer.text(entryKey, key);
    writeValue();
  });
}
