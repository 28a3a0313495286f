/** A kind of card that no source could name. */
export interface UnknownGpu {
  readonly vendorId: string;
  readonly productId: string;
  /** Where it was first seen. */
  readonly node: string;
}

/** Remembers kinds of cards that nobody knows, so that each is reported once, however many there are and however often they are looked at. */
export class UnknownGpus {
  readonly #seen = new Set<string>();
  readonly #unreported: UnknownGpu[] = [];

  note(gpu: UnknownGpu): void {
    const key = `${gpu.vendorId}:${gpu.productId}`;
    if (this.#seen.has(key)) return;
    this.#seen.add(key);
    this.#unreported.push(gpu);
  }

  take(): readonly UnknownGpu[] {
    return this.#unreported.splice(0);
  }
}
