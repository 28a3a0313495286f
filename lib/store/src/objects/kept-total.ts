/** What became of the objects that changed after a snapshot, as of a later one. */
export interface ChangedSince {
  readonly snapshot: string;
  readonly changed: readonly string[];
  /** Those of them that match now. */
  readonly matching: readonly string[];
}

/** A moment from which a total can be carried forward. */
export interface TotalMark {
  /** As `pg_current_snapshot()` says it. */
  readonly snapshot: string;
  readonly total: number;
  /** How often an object had begun or ceased to match. */
  readonly flips: number;
}

interface Flip {
  readonly id: string;
  readonly matched: boolean;
}

/** More than the lists that run at one time can have met. */
const maxFlips = 1_000;

/**
 * Which objects match a condition, as of a snapshot of the database. Lists carry it forward by what changed since; several may do so at a time, each from the moment at which it
 * began, so the last flips are remembered.
 */
export class KeptTotal {
  readonly #ids: Set<string>;
  readonly #flips: Flip[] = []; // the newest last
  #forgotten = 0;
  #snapshot: string;

  constructor(snapshot: string, ids: Iterable<string>) {
    this.#snapshot = snapshot;
    this.#ids = new Set(ids);
  }

  get size(): number {
    return this.#ids.size;
  }

  mark(): TotalMark {
    return { snapshot: this.#snapshot, total: this.#ids.size, flips: this.#forgotten + this.#flips.length };
  }

  /** The total of the later moment. Undefined when too much has happened since the mark to tell. */
  carry(mark: TotalMark, { snapshot, changed, matching }: ChangedSince): number | undefined {
    const now = new Set(matching);
    if (changed.length > 0 && mark.flips < this.#forgotten) return undefined;
    let { total } = mark;
    for (const id of changed) total += Number(now.has(id)) - Number(this.#matchedAt(mark, id));
    // Otherwise another list has carried it on already, and perhaps further.
    if (mark.snapshot === this.#snapshot) this.#goOn(snapshot, changed, now);
    return total;
  }

  #matchedAt(mark: TotalMark, id: string): boolean {
    const later = this.#flips.slice(mark.flips - this.#forgotten).find((flip) => flip.id === id);
    return later?.matched ?? this.#ids.has(id);
  }

  #goOn(snapshot: string, changed: readonly string[], now: ReadonlySet<string>): void {
    this.#snapshot = snapshot;
    for (const id of changed) {
      const matched = this.#ids.has(id);
      if (matched === now.has(id)) continue;
      this.#flips.push({ id, matched });
      if (matched) this.#ids.delete(id);
      else this.#ids.add(id);
    }
    const surplus = this.#flips.length - maxFlips;
    if (surplus > 0) this.#forgotten += this.#flips.splice(0, surplus).length;
  }
}
