import { create, type DescMessage, type Message, type MessageInitShape, type MessageShape, toBinary } from '@bufbuild/protobuf';

const encoded = new WeakMap<Message, Uint8Array | undefined>(); // shared answer -> its bytes, once somebody needed them

/** An answer that many calls get, such as an event: it is encoded once for all of them. Nobody may change it any more. */
export function sharedAnswer<S extends DescMessage>(schema: S, init: MessageInitShape<S>): MessageShape<S> {
  const answer = create(schema, init);
  encoded.set(answer, undefined);
  return answer;
}

/** The bytes of any answer. */
export function encodeAnswer(schema: DescMessage, answer: Message): Uint8Array {
  const known = encoded.get(answer);
  if (known !== undefined) return known;
  const bytes = toBinary(schema, answer);
  if (encoded.has(answer)) encoded.set(answer, bytes);
  return bytes;
}
