/**
 * Recognises what is known already at the beginning of a log that is read again from somewhere near its end, so that nothing is shown twice and nothing is
 * left out. It takes the longest overlap for the right one: where a log repeats itself, it may take new lines for old ones, and never shows old ones again.
 */
export class TailJoin {
  readonly #known: readonly string[];
  readonly #read: string[] = [];
  /** Where among the known lines the ones that are read again begin, as far as they have come. */
  #from = 0;

  /** `known`: the newest lines, the last one last. */
  constructor(known: readonly string[]) {
    this.#known = known;
  }

  /** What of the lines until now turns out to be new. */
  take(line: string): readonly string[] {
    const overlap = this.#known.length - this.#from;
    if (this.#read.length >= overlap) return [line];
    this.#read.push(line);
    if (line === this.#known[this.#from + this.#read.length - 1]) return [];
    do this.#from += 1;
    while (!this.#isOverlap());
    const shorter = this.#known.length - this.#from;
    return this.#read.slice(shorter);
  }

  #isOverlap(): boolean {
    const { length } = this.#known;
    return this.#read.every((line, index) => this.#from + index >= length || line === this.#known[this.#from + index]);
  }
}
