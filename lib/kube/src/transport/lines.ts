/**
 * Cuts a byte stream into lines, whatever the chunks. Each line arrives without its newline; the bytes belong to the
 * stream's buffers, so whoever keeps them copies them. A line of more than `maxBytes` arrives in pieces of that size, less where a
 * character of UTF-8 would be cut: no more than one piece is ever kept.
 */
export class LineSplitter {
  readonly #maxBytes: number;
  #partial: Buffer[] = [];
  #partialBytes = 0;

  constructor(maxBytes = Number.POSITIVE_INFINITY) {
    this.#maxBytes = maxBytes;
  }

  /** Calls back for every line that the chunk completes, and for pieces of a long one. */
  push(chunk: Buffer, line: (bytes: Buffer) => void): void {
    let start = 0;
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, start)) {
      line(this.#lastPiece(chunk.subarray(start, end), line));
      start = end + 1;
    }
    if (start === chunk.length) return;
    let rest = start === 0 ? chunk : chunk.subarray(start);
    if (this.#partialBytes + rest.length > this.#maxBytes) rest = this.#lastPiece(rest, line);
    this.#partial.push(rest);
    this.#partialBytes += rest.length;
  }

  /** The last line, when the stream ended without a newline. */
  end(line: (bytes: Buffer) => void): void {
    if (this.#partial.length > 0) line(this.#lastPiece(Buffer.alloc(0), line));
  }

  /** What is kept and `bytes`, but for the full pieces of it, which are told. */
  #lastPiece(bytes: Buffer, line: (bytes: Buffer) => void): Buffer {
    let whole = this.#partial.length === 0 ? bytes : Buffer.concat([...this.#partial, bytes]);
    this.#partial = [];
    this.#partialBytes = 0;
    while (whole.length > this.#maxBytes) {
      const size = pieceSize(whole, this.#maxBytes);
      line(whole.subarray(0, size));
      whole = whole.subarray(size);
    }
    return whole;
  }
}

/** Not more than `maxBytes`, and as many as end where a character does. */
function pieceSize(bytes: Buffer, maxBytes: number): number {
  let size = maxBytes;
  while (size > 0 && maxBytes - size < 3 && isContinuation(bytes[size])) size -= 1;
  return size === 0 || isContinuation(bytes[size]) ? maxBytes : size;
}

const isContinuation = (byte = 0): boolean => byte >> 6 === 0b10;
