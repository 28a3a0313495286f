// Made from api/crds/bid-decision.yaml by `npm run generate`. Do not edit.
import type { ObjectMeta, ResourceType } from '@quartermaster/kernel';

/** What became of an order of the market, and why. The object has the name of its order, as its Reservation has. It is kept for a while after it has ended. */
export interface BidDecision {
  readonly apiVersion?: string | undefined;
  readonly kind?: string | undefined;
  readonly metadata?: ObjectMeta | undefined;
  readonly spec: BidDecisionSpec;
  readonly status?: BidDecisionStatus | undefined;
}

export interface BidDecisionSpec {
  readonly order: DecidedOrder;
}

export interface BidDecisionStatus {
  /**
   * Declined: no bid, for the reasons. Reserved: its part of the cluster is held, and the market is not known to have a bid. Bid: the bid is open. Won: there is
   * a lease. Lost: another bid was taken, or the order was closed. Expired: the bid was closed before anybody took it. Closed: the lease has ended.
   */
  readonly phase: 'Declined' | 'Reserved' | 'Bid' | 'Won' | 'Lost' | 'Expired' | 'Closed';
  /** Why it is so. */
  readonly reasons?: readonly DecisionReason[] | undefined;
  readonly price?: DecidedPrice | undefined;
  /** Resource -> its part of the price, where that is made of parts: cpu, memory, storage/beta3, gpu/nvidia/a100. */
  readonly priceParts?: Readonly<Record<string, string>> | undefined;
  /** When it came into its phase. */
  readonly changedAt: string;
  /** When the order was made, as the market says. */
  readonly orderedAt?: string | undefined;
  readonly reservedAt?: string | undefined;
  readonly bidAt?: string | undefined;
  readonly wonAt?: string | undefined;
  /** When it was declined, lost, expired or closed. */
  readonly endedAt?: string | undefined;
}

export interface DecidedOrder {
  /** The account that ordered. */
  readonly owner: string;
  /** A number of 64 bits. */
  readonly dseq: string;
  readonly gseq: number;
  readonly oseq: number;
}

export interface DecisionReason {
  /** For programs: CamelCase. */
  readonly code: string;
  /** For people. */
  readonly message: string;
}

/** What was bid, for each block of the market. */
export interface DecidedPrice {
  readonly denom: string;
  /** A decimal number. */
  readonly amount: string;
}

export const bidDecisionType: ResourceType<BidDecision> = {
  group: 'quartermaster.dev',
  version: 'v1alpha1',
  kind: 'BidDecision',
  plural: 'biddecisions',
  namespaced: false,
};
