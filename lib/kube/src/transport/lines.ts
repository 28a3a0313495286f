/**
 * Cuts a byte stream into lines, whatever the chunks. Each line arrives without its newline; the bytes belong to the
 * stream's buffers, so whoever keeps them copies them.
 */
export class LineSplitter {
  #partial: Buffer[] = [];

  /** Calls back for every line that the chunk completes. */
  push(chunk: Buffer, line: (bytes: Buffer) => void): void {
    let start = 0;
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, start)) {
      const piece = chunk.subarray(start, end);
      start = end + 1;
      if (this.#partial.length === 0) {
        line(piece);
        continue;
      }
      const whole = Buffer.concat([...this.#partial, piece]);
      this.#partial = [];
      line(whole);
    }
    if (start < chunk.length) this.#partial.push(start === 0 ? chunk : chunk.subarray(start));
  }

  /** The last line, when the stream ended without a newline. */
  end(line: (bytes: Buffer) => void): void {
    if (this.#partial.length === 0) return;
    const whole = Buffer.concat(this.#partial);
    this.#partial = [];
    line(whole);
  }
}
