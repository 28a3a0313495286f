import { type DescMessage, fromBinary, type MessageShape, toBinary } from '@bufbuild/protobuf';
import type { Codec } from '@quartermaster/kernel';

/** Protobuf's binary form of one message. */
export function messageCodec<D extends DescMessage>(schema: D): Codec<MessageShape<D>> {
  return { encode: (value) => toBinary(schema, value), decode: (bytes) => fromBinary(schema, bytes) };
}
