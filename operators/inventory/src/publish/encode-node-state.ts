import { toBinary } from '@bufbuild/protobuf';
import { WireType } from '@bufbuild/protobuf/wire';
import { GenerationSchema, type NodeState, NodeStateSchema } from '@quartermaster/api/inventory';
import { WireWriter } from './wire-writer.ts';

const writer = new WireWriter();

/** The message as bytes; quickly where its node is packed, as it is whenever the state of a node is published. */
export function encodeNodeState(state: NodeState): Uint8Array {
  const { clusterId, generation, name, node, $unknown: packed } = state;
  if (node !== undefined || generation === undefined || packed?.some(({ wireType }) => wireType !== WireType.LengthDelimited) === true) {
    return toBinary(NodeStateSchema, state);
  }
  const { field } = NodeStateSchema;
  writer.begin();
  writer.text(field.clusterId.number, clusterId);
  writer.message(field.generation.number, () => {
    writer.text(GenerationSchema.field.epoch.number, generation.epoch);
    writer.int64(GenerationSchema.field.sequence.number, Number(generation.sequence));
  });
  writer.text(field.name.number, name);
  for (const { no, data } of packed ?? []) writer.packed(no, data);
  return writer.take();
}
