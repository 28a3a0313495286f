/** What one generation changed, by name. The values are those of the newest generation, whichever it is that a reader catches up to. */
export interface ChangedNames {
  readonly nodes: readonly string[];
  readonly storage: readonly string[];
  readonly leasePods: readonly string[];
  readonly leaseVolumes: readonly string[];
}

const kinds = ['nodes', 'storage', 'leasePods', 'leaseVolumes'] as const satisfies readonly (keyof ChangedNames)[];

interface Entry extends ChangedNames {
  readonly sequence: number;
}

export interface DeltaRingOptions {
  /** Default 4096. */
  readonly maxGenerations?: number | undefined;
  /** Names over all generations. Default 200 000. */
  readonly maxNames?: number | undefined;
}

/** Remembers what the last generations changed, within bounds. Sequences are given without gaps. */
export class DeltaRing {
  readonly #maxGenerations: number;
  readonly #maxNames: number;
  #entries: Entry[] = [];
  /** Entries before it are forgotten; they are cut off now and then, all at once. */
  #start = 0;
  #names = 0;

  constructor(options: DeltaRingOptions = {}) {
    this.#maxGenerations = options.maxGenerations ?? 4096;
    this.#maxNames = options.maxNames ?? 200_000;
  }

  push(sequence: number, changed: ChangedNames): void {
    this.#entries.push({ sequence, ...changed });
    this.#names += countOf(changed);
    while (this.#start < this.#entries.length && (this.#count > this.#maxGenerations || this.#names > this.#maxNames)) this.#forget();
    if (this.#start > this.#entries.length / 2) {
      this.#entries = this.#entries.slice(this.#start);
      this.#start = 0;
    }
  }

  /** The names that changed after `sequence`; undefined when that is no longer known. */
  since(sequence: number): ChangedNames | undefined {
    const newest = this.#entries.at(-1);
    if (newest === undefined || this.#count === 0) return undefined;
    const behind = newest.sequence - sequence;
    if (behind < 0 || behind > this.#count) return undefined;
    const entries = this.#entries.slice(this.#entries.length - behind);
    if (entries.length === 1) return entries[0];
    const changed = (kind: keyof ChangedNames): string[] => [...new Set(entries.flatMap((each) => each[kind]))];
    return {
      nodes: changed('nodes'),
      storage: changed('storage'),
      leasePods: changed('leasePods'),
      leaseVolumes: changed('leaseVolumes'),
    };
  }

  get #count(): number {
    return this.#entries.length - this.#start;
  }

  #forget(): void {
    const entry = this.#entries[this.#start];
    this.#start += 1;
    if (entry !== undefined) this.#names -= countOf(entry);
  }
}

const countOf = (changed: ChangedNames): number => kinds.reduce((sum, kind) => sum + changed[kind].length, 0);
