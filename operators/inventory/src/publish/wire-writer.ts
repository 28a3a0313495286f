/** Field numbers and wire types as protobuf writes them. */
const varint = 0;
const delimited = 2;

const oneVarintByte = 0x80;
/** A number is cut here into two that fit 32-bit arithmetic: four bytes of a varint hold 28 bits. */
const fourVarintBytes = 2 ** 28;

/**
 * Writes protobuf fields into one buffer that it uses again and again: what is written thousands of times a second leaves nothing behind but
 * its bytes. Fields without a value are left out, as proto3 does.
 */
export class WireWriter {
  #bytes = Buffer.alloc(0);
  #length = 0;

  /** Forgets what was written: whoever failed half-way left it there. */
  begin(): void {
    this.#length = 0;
  }

  /** A whole number from 0 to 2^53-1. */
  int64(field: number, value: number): void {
    if (value === 0) return;
    if (!Number.isSafeInteger(value) || value < 0) throw new RangeError(`field ${field}: ${value} is not a whole number from 0 to 2^53-1`);
    this.#reserve(16);
    this.#varint((field << 3) | varint);
    this.#varint(value);
  }

  text(field: number, value: string): void {
    if (value === '') return;
    this.#reserve(16 + 3 * value.length);
    this.#varint((field << 3) | delimited);
    const start = this.#length;
    this.#moveBehindLength(start, this.#bytes.write(value, start + 1));
  }

  bytes(field: number, value: Uint8Array): void {
    this.#reserve(16);
    this.#varint((field << 3) | delimited);
    this.#varint(value.length);
    this.raw(value);
  }

  /** A field whose value is encoded already, with its length. */
  packed(field: number, value: Uint8Array): void {
    this.#reserve(8);
    this.#varint((field << 3) | delimited);
    this.raw(value);
  }

  /** What is written meanwhile becomes the field's message. */
  message(field: number, write: () => void): void {
    this.#reserve(8);
    this.#varint((field << 3) | delimited);
    this.lengthAnd(write);
  }

  /** The length of what is written meanwhile, and then that. */
  lengthAnd(write: () => void): void {
    const start = this.#length;
    this.#reserve(8);
    this.#length += 1;
    write();
    this.#reserve(8);
    this.#moveBehindLength(start, this.#length - start - 1);
  }

  /** Bytes that are fields already. */
  raw(value: Uint8Array): void {
    this.#reserve(value.length);
    this.#bytes.set(value, this.#length);
    this.#length += value.length;
  }

  /** A copy of what was written. The writer begins anew. */
  take(): Uint8Array {
    // From the pool of buffers: memory of its own costs each of them more than to be written.
    const taken = Buffer.from(this.#bytes.subarray(0, this.#length));
    this.#length = 0;
    return taken;
  }

  /** What was written one byte after `start` gets its length there, which may need more than that byte. */
  #moveBehindLength(start: number, length: number): void {
    if (length >= oneVarintByte) this.#bytes.copyWithin(start + varintBytes(length), start + 1, start + 1 + length);
    this.#length = start;
    this.#varint(length);
    this.#length += length;
  }

  #varint(value: number): void {
    const bytes = this.#bytes;
    let rest = value;
    if (rest >= fourVarintBytes) {
      const low = rest % fourVarintBytes;
      rest = (rest - low) / fourVarintBytes;
      bytes[this.#length] = (low & 0x7f) | 0x80;
      bytes[this.#length + 1] = ((low >>> 7) & 0x7f) | 0x80;
      bytes[this.#length + 2] = ((low >>> 14) & 0x7f) | 0x80;
      bytes[this.#length + 3] = (low >>> 21) | 0x80;
      this.#length += 4;
    }
    while (rest >= oneVarintByte) {
      bytes[this.#length] = (rest & 0x7f) | 0x80;
      this.#length += 1;
      rest >>>= 7;
    }
    bytes[this.#length] = rest;
    this.#length += 1;
  }

  #reserve(more: number): void {
    const needed = this.#length + more;
    if (needed <= this.#bytes.length) return;
    const larger = Buffer.alloc(Math.max(needed, 2 * this.#bytes.length, 4096));
    larger.set(this.#bytes);
    this.#bytes = larger;
  }
}

function varintBytes(value: number): number {
  let bytes = 1;
  for (let rest = value; rest >= oneVarintByte; rest = Math.floor(rest / oneVarintByte)) bytes += 1;
  return bytes;
}
