interface Slot<V, R> {
  next: { value: V; readonly result: Promise<R> } | undefined;
  last: Promise<unknown>;
}

/**
 * Sends values of a name one after the other, so that a retried old one never overwrites a new one. While one is on its way only
 * the newest of the others waits, and everybody who wanted to send one of them gets its result.
 */
export class LatestPublisher<V, R> {
  readonly #send: (name: string, value: V) => Promise<R>;
  readonly #slots = new Map<string, Slot<V, R>>(); // name -> what is on its way and what waits

  constructor(send: (name: string, value: V) => Promise<R>) {
    this.#send = send;
  }

  publish(name: string, value: V): Promise<R> {
    const slot = this.#slots.get(name);
    if (slot === undefined) {
      const result = this.#send(name, value);
      this.#follow(name, { next: undefined, last: result }, result);
      return result;
    }
    if (slot.next !== undefined) {
      slot.next.value = value;
      return slot.next.result;
    }
    const result = settled(slot.last).then(() => {
      const newest = slot.next === undefined ? value : slot.next.value;
      slot.next = undefined;
      return this.#send(name, newest);
    });
    slot.next = { value, result };
    this.#follow(name, slot, result);
    return result;
  }

  #follow(name: string, slot: Slot<V, R>, result: Promise<R>): void {
    slot.last = result;
    this.#slots.set(name, slot);
    void settled(result).then(() => {
      if (slot.last === result) this.#slots.delete(name);
    });
  }
}

async function settled(promise: Promise<unknown>): Promise<void> {
  await Promise.allSettled([promise]);
}
