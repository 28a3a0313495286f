/** Turns values of one type into bytes and back. `decode` throws for bytes that are not such a value. */
export interface Codec<T> {
  encode(value: T): Uint8Array;
  decode(bytes: Uint8Array): T;
}

/**
 * JSON in UTF-8. It trusts that what is on the topic has the type: pass `check` where other versions or other programs publish.
 * A value that JSON has no form for (undefined, a bigint) is refused.
 */
export function jsonCodec<T>(check: (value: unknown) => T = (value) => value as T): Codec<T> {
  const encoder = new TextEncoder();
  const decoder = new TextDecoder('utf-8', { fatal: true });
  return {
    encode(value) {
      const text: string | undefined = JSON.stringify(value);
      if (text === undefined) throw new TypeError(`a ${typeof value} has no form in JSON`);
      return encoder.encode(text);
    },
    decode: (bytes) => check(JSON.parse(decoder.decode(bytes))),
  };
}
