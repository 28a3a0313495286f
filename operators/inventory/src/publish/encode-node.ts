import { create, toBinary } from '@bufbuild/protobuf';
import { TimestampSchema } from '@bufbuild/protobuf/wkt';
import { AmountSchema, HardwareSchema, NodeSchema, UtilizationSchema } from '@quartermaster/api/inventory';
import type { Amount } from '../model/amount.ts';
import type { NodeHardwareView, NodeInventory } from '../model/node-inventory.ts';
import { hardwareMessage, steadyFields } from './node-message.ts';
import { WireWriter } from './wire-writer.ts';

/*
 * Most of a node's message is what no ordinary pod changes: its cards, its names, what the machine is made of. Those parts are encoded once, for
 * as long as the node keeps them; a node whose amounts changed costs the encoding of these.
 */

interface SteadyBytes {
  /** All of it was encoded from these, which are never changed. */
  readonly of: Pick<
    NodeInventory,
    | 'name'
    | 'uid'
    | 'sellability'
    | 'gpus'
    | 'extended'
    | 'storageClasses'
    | 'conditions'
    | 'stale'
    | 'podLimit'
    | 'nvlinkDomain'
    | 'toleratedTaints'
  >;
  readonly bytes: Uint8Array;
}

// Every node has a list of devices of its own, which outlives most of its views.
const encodedSteady = new WeakMap<NodeInventory['devices'], SteadyBytes>();
const encodedHardware = new WeakMap<NodeHardwareView, Uint8Array>(); // hardware -> its field of a node
const writer = new WireWriter();

/** The node's message as bytes. */
export function encodeNode(node: NodeInventory): Uint8Array {
  writer.begin();
  writeNode(node);
  return writer.take();
}

/** The same after its length: what follows the tag of a field that holds it. */
export function encodeNodeValue(node: NodeInventory): Uint8Array {
  writer.begin();
  writer.lengthAnd(() => writeNode(node));
  return writer.take();
}

function writeNode(node: NodeInventory): void {
  const { field } = NodeSchema;
  writer.raw(steadyBytes(node));
  writeAmount(field.cpu.number, node.cpu);
  writeAmount(field.memory.number, node.memory);
  writer.int64(field.ram.number, node.ram);
  writeAmount(field.ephemeralStorage.number, node.ephemeralStorage);
  if (node.utilization !== undefined) writeUtilization(field.utilization.number, node.utilization);
  writer.int64(field.pods.number, node.pods);
  writeTime(field.observedAt.number, node.observedAt);
  writer.raw(hardwareField(node.hardware));
}

function writeAmount(no: number, amount: Amount): void {
  const { field } = AmountSchema;
  writer.message(no, () => {
    writer.int64(field.capacity.number, amount.capacity);
    writer.int64(field.allocatable.number, amount.allocatable);
    writer.int64(field.allocated.number, amount.allocated);
    writer.int64(field.available.number, amount.available);
    writer.int64(field.overcommitted.number, amount.overcommitted);
  });
}

function writeUtilization(no: number, { cpuMillis, memoryBytes, observedAt }: NonNullable<NodeInventory['utilization']>): void {
  const { field } = UtilizationSchema;
  writer.message(no, () => {
    writer.int64(field.cpuMillis.number, cpuMillis);
    writer.int64(field.memoryBytes.number, memoryBytes);
    writeTime(field.observedAt.number, observedAt);
  });
}

function writeTime(no: number, ms: number): void {
  const { field } = TimestampSchema;
  const whole = Math.round(ms);
  writer.message(no, () => {
    writer.int64(field.seconds.number, Math.floor(whole / 1000));
    writer.int64(field.nanos.number, (whole % 1000) * 1_000_000);
  });
}

function steadyBytes(node: NodeInventory): Uint8Array {
  const known = encodedSteady.get(node.devices);
  if (known !== undefined && isSteady(known.of, node)) return known.bytes;
  const bytes = toBinary(NodeSchema, create(NodeSchema, steadyFields(node)));
  const { name, uid, sellability, gpus, extended, storageClasses, conditions, stale, podLimit, nvlinkDomain, toleratedTaints } = node;
  const of = { name, uid, sellability, gpus, extended, storageClasses, conditions, stale, podLimit, nvlinkDomain, toleratedTaints };
  encodedSteady.set(node.devices, { of, bytes });
  return bytes;
}

function isSteady(before: SteadyBytes['of'], now: NodeInventory): boolean {
  return (
    before.name === now.name &&
    before.uid === now.uid &&
    before.sellability === now.sellability &&
    before.gpus === now.gpus &&
    before.extended === now.extended &&
    before.storageClasses === now.storageClasses &&
    before.conditions === now.conditions &&
    before.stale === now.stale &&
    before.podLimit === now.podLimit &&
    before.nvlinkDomain === now.nvlinkDomain &&
    before.toleratedTaints === now.toleratedTaints
  );
}

function hardwareField(hardware: NodeHardwareView): Uint8Array {
  const known = encodedHardware.get(hardware);
  if (known !== undefined) return known;
  const message = toBinary(HardwareSchema, create(HardwareSchema, hardwareMessage(hardware)));
  const field = new WireWriter();
  field.bytes(NodeSchema.field.hardware.number, message);
  const bytes = field.take();
  encodedHardware.set(hardware, bytes);
  return bytes;
}
