/** An object with the facts of one machine, under the name of its node. */
export interface HardwareObject {
  readonly name: string;
  readonly uid: string;
}

export interface GoneHardwareOptions {
  /** How long a node must be gone before its facts are removed. */
  readonly keepMs: number;
  /** More than this within `keepMs` waits for a person, unless they are less than `maxShare` of all. */
  readonly maxRemovals?: number;
  readonly maxShare?: number;
}

export interface GonePlan {
  readonly remove: readonly HardwareObject[];
  /** So many are due and stay, because they are too many at once. */
  readonly held: number;
}

/**
 * Which machines' facts nobody needs any more: those of nodes that were absent at every look for as long as they are kept. A look is made only while
 * the nodes are known for certain; after one that could not be made, the time begins anew. Facts of many nodes at once are a sign of a
 * mistake rather than of many nodes, and stay. Does no I/O; times are those of a monotonic clock.
 */
export class GoneHardware {
  readonly #keepMs: number;
  readonly #maxRemovals: number;
  readonly #maxShare: number;
  readonly #goneSince = new Map<string, number>(); // uid of the object -> when its node was first found absent
  #removals: readonly number[] = [];

  constructor({ keepMs, maxRemovals = 5, maxShare = 0.1 }: GoneHardwareOptions) {
    this.#keepMs = keepMs;
    this.#maxRemovals = maxRemovals;
    this.#maxShare = maxShare;
  }

  look(hardware: Iterable<HardwareObject>, hasNode: (name: string) => boolean, now: number): GonePlan {
    const seen = new Set<string>();
    const due: HardwareObject[] = [];
    let all = 0;
    for (const { name, uid } of hardware) {
      all += 1;
      if (hasNode(name)) continue;
      seen.add(uid);
      const since = this.#goneSince.get(uid) ?? now;
      this.#goneSince.set(uid, since);
      if (now - since >= this.#keepMs) due.push({ name, uid });
    }
    for (const uid of this.#goneSince.keys()) if (!seen.has(uid)) this.#goneSince.delete(uid);
    this.#removals = this.#removals.filter((at) => now - at < this.#keepMs);
    const allowed = Math.max(this.#maxRemovals, Math.floor((all + this.#removals.length) * this.#maxShare));
    return due.length + this.#removals.length > allowed ? { remove: [], held: due.length } : { remove: due, held: 0 };
  }

  /** The nodes could not be looked at: nothing that was seen before counts. */
  lookFailed(): void {
    this.#goneSince.clear();
  }

  removed({ uid }: HardwareObject, now: number): void {
    this.#goneSince.delete(uid);
    this.#removals = [...this.#removals, now];
  }
}
