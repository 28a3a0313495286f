/** Puts an answer together out of texts and of bytes that are there already, which is cheaper than one long text that is turned into bytes. */
export class ByteWriter {
  #bytes: Buffer;
  #length = 0;
  /** Texts that are still to be written: one call for all of them. */
  #pending = '';

  constructor(expectedBytes: number) {
    this.#bytes = Buffer.allocUnsafe(expectedBytes);
  }

  text(text: string): void {
    this.#pending += text;
  }

  bytes(bytes: Buffer): void {
    this.#flush();
    this.#reserve(bytes.length);
    this.#bytes.set(bytes, this.#length);
    this.#length += bytes.length;
  }

  /** All of it. Nothing may be written afterwards. */
  end(): Buffer {
    this.#flush();
    return this.#bytes.subarray(0, this.#length);
  }

  #flush(): void {
    if (this.#pending === '') return;
    // A character of a JavaScript string takes three bytes at most.
    this.#reserve(this.#pending.length * 3);
    this.#length += this.#bytes.write(this.#pending, this.#length);
    this.#pending = '';
  }

  #reserve(more: number): void {
    if (this.#length + more <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafe(2 * (this.#length + more));
    larger.set(this.#bytes.subarray(0, this.#length));
    this.#bytes = larger;
  }
}
