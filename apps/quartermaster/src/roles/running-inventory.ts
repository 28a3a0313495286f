import type { Inventory } from '@quartermaster/inventory';

/** The inventory operator that runs in this process, with the addresses on which it serves. */
export interface RunningInventory {
  readonly inventory: Inventory;
  /** `127.0.0.1:8081` */
  readonly grpc: string;
  /** `http://127.0.0.1:8080` */
  readonly rest: string;
}
