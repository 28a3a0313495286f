import type { InventoryChange, LeasePod } from '../model/inventory-change.ts';
import type { InventoryKnowledge, IpPool, NodePortUse } from '../model/knowledge.ts';
import type { Reservation } from '../model/reservation.ts';
import type { Stock } from '../placement/stock.ts';
import type { NodeTerms } from './node-terms.ts';

/**
 * Everything that a replica knows, and what follows from it: what is free, what is held for whom, and where more is promised than there is. Without I/O; every
 * change takes effect at once and as a whole.
 */
export interface Book {
  readonly stock: Stock;
  /** One generation. Changes nothing if it throws: `invalid_argument` for amounts that are no whole numbers. */
  takeInventory(change: InventoryChange): void;
  /** May be said at any time, as often as it changes; nothing is promised while it has a problem. */
  setKnowledge(knowledge: InventoryKnowledge): void;
  setNodePorts(use: NodePortUse): void;
  /** Undefined without a fresh answer. */
  setIpPool(pool: IpPool | undefined): void;
  /** Pods that stand for no replica any more, though their nodes may count them for ever. */
  setLostPods(uids: ReadonlySet<string>): void;
  /** In place of the one of the same name. */
  setReservation(reservation: Reservation): void;
  removeReservation(name: string): void;
  readonly nodeTerms: NodeTerms;
  readonly knowledge: InventoryKnowledge;
  reservation(name: string): Reservation | undefined;
  /** By name. */
  reservations(): readonly Reservation[];
  /** Pods that are counted as the reservation's. */
  podsOf(name: string): readonly LeasePod[];
}
