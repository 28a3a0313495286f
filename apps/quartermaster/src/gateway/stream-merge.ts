/**
 * Several connections to one stream, one after the other. While two of them overlap, both bring what is new, and each line is to be told once. A line may be in the
 * stream several times, so it is counted: news is what a connection has brought more often than it was told.
 */
export class StreamMerge {
  readonly #repeats: boolean;
  readonly #told = new Map<string, number>(); // line -> how often it was told
  #comparison = 0;
  #isComparing = false;

  /** `repeats`: a new connection begins with all that was told before. Else it begins with what is new. */
  constructor({ repeats }: { readonly repeats: boolean }) {
    this.#repeats = repeats;
  }

  /** Another connection begins: compares until what is returned is called, or another begins after it. */
  compare(): () => void {
    if (!this.#repeats) this.#told.clear();
    this.#comparison += 1;
    this.#isComparing = true;
    const own = this.#comparison;
    return () => {
      if (own === this.#comparison) this.#isComparing = false;
    };
  }

  /** Of one connection: whether a line that it brings is news. */
  connection(): (line: string) => boolean {
    const counts = new Map<string, number>(); // line -> how often this connection has brought it
    let comparison = this.#comparison;
    return (line) => {
      if (!this.#repeats && !this.#isComparing) return true;
      if (!this.#repeats && comparison !== this.#comparison) counts.clear();
      comparison = this.#comparison;
      const count = (counts.get(line) ?? 0) + 1;
      counts.set(line, count);
      const before = this.#told.get(line) ?? 0;
      if (this.#isComparing && count <= before) return false;
      if (this.#told.size >= maxLines) this.#told.clear();
      this.#told.set(line, Math.max(count, before));
      return true;
    };
  }
}

/** So many are remembered: a stream may last for weeks. */
const maxLines = 10_000;
