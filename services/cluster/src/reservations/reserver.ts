import type { Refused } from '../book/decision.ts';
import type { OrderId } from '../model/order.ts';
import type { Price } from '../model/price.ts';
import type { LeaseNamespace, Reservation } from '../model/reservation.ts';
import type { Request } from '../placement/request.ts';

/** Writes reservations. Exists while this replica leads, and has taken over from the leader before it. */
export interface Reserver {
  /** Confirmed, or refused. The same order with the same request answers what there is; with another one it is already_exists. */
  reserve(order: ReserveOrder, signal?: AbortSignal): Promise<Reserved>;
  /** What was given back, at once; undefined when there was none (of that uid). One that was made for a bid is given back by its uid alone. */
  unreserve(order: OrderId, uid?: string, signal?: AbortSignal): Promise<Reservation | undefined>;
  /** There is a lease: it no longer expires, and pods in this namespace are its own, once there is one. */
  activate(order: OrderId, namespace?: LeaseNamespace, signal?: AbortSignal): Promise<Reservation>;
}

export interface ReserveOrder {
  readonly order: OrderId;
  readonly owner: string;
  readonly request: Request;
  /** How long it may be pending. The configured one unless given, and at most that. */
  readonly lifetimeMs?: number | undefined;
  /** It is for a bid of this price, and does not expire. */
  readonly bid?: Price | undefined;
}

export type Reserved = { readonly kind: 'reserved'; readonly reservation: Reservation } | Refused;
