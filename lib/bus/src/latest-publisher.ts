interface Slot<R> {
  next: { bytes: Uint8Array; readonly result: Promise<R> } | undefined;
  last: Promise<unknown>;
}

/**
 * Sends values of a name one after the other, so that a retried old one never overwrites a new one. While one is on its way only
 * the newest of the others waits, and everybody who wanted to send one of them gets its result.
 */
export class LatestPublisher<R> {
  readonly #send: (name: string, bytes: Uint8Array) => Promise<R>;
  readonly #slots = new Map<string, Slot<R>>(); // name -> what is on its way and what waits

  constructor(send: (name: string, bytes: Uint8Array) => Promise<R>) {
    this.#send = send;
  }

  publish(name: string, bytes: Uint8Array): Promise<R> {
    const slot = this.#slots.get(name);
    if (slot === undefined) {
      const result = this.#send(name, bytes);
      this.#follow(name, { next: undefined, last: result }, result);
      return result;
    }
    if (slot.next !== undefined) {
      slot.next.bytes = bytes;
      return slot.next.result;
    }
    const result = settled(slot.last).then(() => {
      const newest = slot.next?.bytes ?? bytes;
      slot.next = undefined;
      return this.#send(name, newest);
    });
    slot.next = { bytes, result };
    this.#follow(name, slot, result);
    return result;
  }

  #follow(name: string, slot: Slot<R>, result: Promise<R>): void {
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
