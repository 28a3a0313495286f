import type { ResourceType } from '../objects/objects.ts';

/** The version of a kind that is followed, or asked for next: the newest that the server knows. */
export class FollowedVersion {
  readonly #types: readonly ResourceType[];
  #current: ResourceType;
  /** How many versions in a row the server did not know. */
  #missing = 0;

  constructor(type: ResourceType, olderTypes: readonly ResourceType[] = []) {
    this.#types = [type, ...olderTypes];
    this.#current = type;
  }

  get current(): ResourceType {
    return this.#current;
  }

  found(): void {
    this.#missing = 0;
  }

  /** Goes round the versions; false when all of them were missing in a row. */
  tryNext(): boolean {
    this.#missing = (this.#missing + 1) % this.#types.length;
    const next = this.#missing === 0 ? 0 : (this.#types.indexOf(this.#current) + 1) % this.#types.length;
    this.#current = this.#types[next] ?? this.#current;
    return this.#missing > 0;
  }
}
