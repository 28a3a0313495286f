import { messageOf, StatusError, type Topic } from '@quartermaster/kernel';

/**
 * The largest value in bytes, on every bus, so that what works in memory works on a server. NATS takes 1 MiB at a time,
 * headers included.
 */
export const maxPayloadBytes = 1_000_000;

export function encodePayload<T>(topic: Topic<T>, value: T): Uint8Array {
  let bytes: Uint8Array;
  try {
    bytes = topic.codec.encode(value);
  } catch (cause) {
    throw new StatusError('invalid_argument', `topic ${topic.name}: the value cannot be encoded: ${messageOf(cause)}`, { cause });
  }
  if (bytes.byteLength <= maxPayloadBytes) return bytes;
  throw new StatusError(
    'invalid_argument',
    `topic ${topic.name}: the value has ${bytes.byteLength} bytes, the limit is ${maxPayloadBytes}; split it by key`,
  );
}

/** Bytes that are no value of the topic cannot become one by trying again: `invalid_argument`. */
export function decodePayload<T>(topic: Topic<T>, bytes: Uint8Array): T {
  try {
    return topic.codec.decode(bytes);
  } catch (cause) {
    throw new StatusError('invalid_argument', `topic ${topic.name}: a value cannot be decoded: ${messageOf(cause)}`, { cause });
  }
}
