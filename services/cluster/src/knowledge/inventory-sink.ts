import type { InventoryChange, NodeFigures } from '../model/inventory-change.ts';

/** Takes what sources hear. */
export interface InventorySink {
  tell(change: InventoryChange): void;
  /** What was told is still true, or was when it was asked for: `at`, by the monotonic clock. Now, unless given. */
  confirm(at?: number): void;
  /** What a whole inventory tells otherwise than was told. */
  differences(whole: InventoryChange): readonly string[];
  /** As it was last told. */
  readonly node: (name: string) => NodeFigures | undefined;
}
