import { create, toBinary } from '@bufbuild/protobuf';
import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import { HardwareSchema, NodeSchema } from '@quartermaster/api/inventory';
import type { NodeHardwareView, NodeInventory } from '../model/node-inventory.ts';
import { hardwareMessage, nodeFields } from './node-message.ts';

const encodedHardware = new WeakMap<NodeHardwareView, Uint8Array>(); // hardware -> its field of a node

/** The node's message as bytes. Half of it is what the machine is made of, which is encoded once however often the rest changes. */
export function encodeNode(node: NodeInventory): Uint8Array {
  return Buffer.concat([toBinary(NodeSchema, create(NodeSchema, nodeFields(node))), hardwareField(node.hardware)]);
}

function hardwareField(hardware: NodeHardwareView): Uint8Array {
  const known = encodedHardware.get(hardware);
  if (known !== undefined) return known;
  const message = toBinary(HardwareSchema, create(HardwareSchema, hardwareMessage(hardware)));
  const field = new BinaryWriter().tag(NodeSchema.field.hardware.number, WireType.LengthDelimited).bytes(message).finish();
  encodedHardware.set(hardware, field);
  return field;
}
