interface Delayed {
  readonly key: string;
  dueAt: number;
  sequence: number;
  index: number;
}

/** Keys by due time, each at most once. Adding, moving forward and removing the first are O(log n); equal times come out as they went in. */
export class DelayHeap {
  readonly #heap: Delayed[] = [];
  readonly #byKey = new Map<string, Delayed>(); // key -> its place in the heap
  #sequence = 0;

  get size(): number {
    return this.#heap.length;
  }

  get nextDueAt(): number | undefined {
    return this.#heap[0]?.dueAt;
  }

  /** Keeps the earlier time when the key is already here. */
  add(key: string, dueAt: number): void {
    const known = this.#byKey.get(key);
    if (known !== undefined) {
      if (dueAt >= known.dueAt) return;
      known.dueAt = dueAt;
      known.sequence = this.#nextSequence();
      this.#siftUp(known);
      return;
    }
    const added: Delayed = { key, dueAt, sequence: this.#nextSequence(), index: this.#heap.length };
    this.#heap.push(added);
    this.#byKey.set(key, added);
    this.#siftUp(added);
  }

  delete(key: string): void {
    const found = this.#byKey.get(key);
    if (found === undefined) return;
    this.#byKey.delete(key);
    const last = this.#heap.pop();
    if (last === undefined || last === found) return;
    this.#place(last, found.index);
    this.#siftUp(last);
    this.#siftDown(last);
  }

  /** Removes and returns the first key that is due at `now`, if any. */
  takeDue(now: number): string | undefined {
    const first = this.#heap[0];
    if (first === undefined || first.dueAt > now) return undefined;
    this.delete(first.key);
    return first.key;
  }

  clear(): void {
    this.#heap.length = 0;
    this.#byKey.clear();
  }

  #nextSequence(): number {
    this.#sequence += 1;
    return this.#sequence;
  }

  #place(item: Delayed, index: number): void {
    this.#heap[index] = item;
    item.index = index;
  }

  #siftUp(item: Delayed): void {
    while (item.index > 0) {
      const above = (item.index - 1) >> 1;
      const parent = this.#heap[above];
      if (parent === undefined || !isBefore(item, parent)) return;
      this.#place(parent, item.index);
      this.#place(item, above);
    }
  }

  #siftDown(item: Delayed): void {
    for (;;) {
      const left = this.#heap[item.index * 2 + 1];
      const right = this.#heap[item.index * 2 + 2];
      const child = right !== undefined && left !== undefined && isBefore(right, left) ? right : left;
      if (child === undefined || !isBefore(child, item)) return;
      const below = child.index;
      this.#place(child, item.index);
      this.#place(item, below);
    }
  }
}

function isBefore(a: Delayed, b: Delayed): boolean {
  return a.dueAt < b.dueAt || (a.dueAt === b.dueAt && a.sequence < b.sequence);
}
