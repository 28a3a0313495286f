import type { Inventory } from '@quartermaster/inventory';

/** The inventory operator that runs in this process, with the addresses on which it serves. */
export interface RunningInventory {
  readonly inventory: Inventory;
  /** `127.0.0.1:8081` */
  readonly grpc: string;
  /** `http://127.0.0.1:8080` */
  readonly rest: string;
}

/** Where roles that share a process leave what they started for the parts beside them. A role that is started again replaces what it left. */
export class InventorySlot {
  readonly #listeners = new Set<() => void>();
  #current: RunningInventory | undefined;

  get current(): RunningInventory | undefined {
    return this.#current;
  }

  put(running: RunningInventory): void {
    this.#current = running;
    for (const listener of this.#listeners) listener();
  }

  /** Calls back at each `put`. Returns what ends it. */
  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}
