/**
 * How a change carries its object. One byte says the form: 0, then the object; or 1, the length of what the object was before as four bytes, that, then the object.
 * The former is there only where somebody who saw the object before may not see it any more, and has to be told what is gone.
 */
import { StatusError } from '@quartermaster/kernel';

export interface ChangeBody {
  readonly object: Uint8Array;
  readonly before?: Uint8Array | undefined;
}

export function encodeChangeBody({ object, before }: ChangeBody): Uint8Array {
  const head = before === undefined ? 1 : 5 + before.length;
  const bytes = new Uint8Array(head + object.length);
  if (before !== undefined) {
    bytes[0] = 1;
    new DataView(bytes.buffer).setUint32(1, before.length);
    bytes.set(before, 5);
  }
  bytes.set(object, head);
  return bytes;
}

export function decodeChangeBody(bytes: Uint8Array): ChangeBody {
  if (bytes[0] === 0) return { object: bytes.subarray(1) };
  const length = bytes[0] === 1 && bytes.length >= 5 ? new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength).getUint32(1) : -1;
  if (length < 0 || 5 + length > bytes.length) throw new StatusError('internal', 'a change in the feed has an unknown format');
  return { object: bytes.subarray(5 + length), before: bytes.subarray(5, 5 + length) };
}
