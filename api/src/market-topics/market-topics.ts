import { stateTopic } from '@quartermaster/kernel';

/*
 * What the cluster service announces. An announcement wakes whoever listens, and is no more: of several only the newest may arrive, or none. What is so, the market, the
 * reservations and the inventory say.
 */

/** The order of a lease, as text: owner/dseq/gseq/oseq. */
export interface LeaseAnnouncement {
  readonly order: string;
  /** Wall clock, milliseconds. */
  readonly at: number;
}

export interface InventoryAnnouncement {
  /** Of the inventory, where that has generations. */
  readonly generation?: string | undefined;
  readonly at: number;
}

/** An order has become a lease of this provider. */
export const leaseWonTopic = stateTopic<LeaseAnnouncement>('LeaseWon');
/** A lease of this provider is over. */
export const leaseClosedTopic = stateTopic<LeaseAnnouncement>('LeaseClosed');
/** What the cluster has is not what it was. */
export const inventoryUpdatedTopic = stateTopic<InventoryAnnouncement>('InventoryUpdated');
