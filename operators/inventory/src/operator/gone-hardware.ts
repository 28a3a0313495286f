import type { Removable } from '@quartermaster/runtime/host';

export interface GoneLook {
  /** Gone for as long as they are kept. */
  readonly due: readonly Removable[];
  /** Gone, but not for so long. */
  readonly pending: readonly Removable[];
  /** How many there are, gone or not. */
  readonly total: number;
}

/**
 * Which machines' facts nobody needs any more: those of nodes that were absent at every look for as long as they are kept. A look is made only while
 * the nodes are known for certain; after one that could not be made, the time begins anew. Does no I/O; times are those of a monotonic clock.
 */
export class GoneHardware {
  readonly #keepMs: number;
  readonly #goneSince = new Map<string, number>(); // uid of the object -> when its node was first found absent

  constructor(keepMs: number) {
    this.#keepMs = keepMs;
  }

  /** `hardware`: objects with the facts of one machine each, under the name of its node. */
  look(hardware: Iterable<Removable>, hasNode: (name: string) => boolean, now: number): GoneLook {
    const seen = new Set<string>();
    const due: Removable[] = [];
    const pending: Removable[] = [];
    let total = 0;
    for (const { name, uid } of hardware) {
      total += 1;
      if (hasNode(name)) continue;
      seen.add(uid);
      const since = this.#goneSince.get(uid) ?? now;
      this.#goneSince.set(uid, since);
      (now - since >= this.#keepMs ? due : pending).push({ name, uid });
    }
    for (const uid of this.#goneSince.keys()) if (!seen.has(uid)) this.#goneSince.delete(uid);
    return { due, pending, total };
  }

  /** The nodes could not be looked at: nothing that was seen before counts. */
  lookFailed(): void {
    this.#goneSince.clear();
  }
}
