import type { ReservationCondition } from '@quartermaster/api/reservation';
import type { Plan } from '../placement/plan.ts';
import type { Request } from '../placement/request.ts';
import type { OrderId } from './order.ts';
import type { Price } from './price.ts';

/** A part of the cluster that is promised to an order, as its object says. */
export interface Reservation {
  /** Of its object, made of the order: what books and stocks know it by. */
  readonly name: string;
  /** Of its object: a reservation that is made anew for the same order has another one. */
  readonly uid: string;
  readonly resourceVersion: string;
  readonly order: OrderId;
  /** Whom its amounts are counted for. */
  readonly owner: string;
  readonly request: Request;
  readonly plan: Plan;
  readonly phase: 'pending' | 'active';
  /** Before the second write it is an attempt: it counts against others already, but nobody may rely on it. */
  readonly isConfirmed: boolean;
  /** Wall clock, milliseconds. */
  readonly createdAt: number;
  /** Of a pending one that was not made for a bid. */
  readonly expiresAt?: number | undefined;
  /** It was made for a bid of this price: it stays until the market says that the bid cannot win, or that its lease is closed. */
  readonly bid?: Price | undefined;
  /** Of the leader that wrote it. */
  readonly term: number;
  /** An active one has none until there is one. */
  readonly leaseNamespace?: LeaseNamespace | undefined;
  /** States that its object records for people: Unplaceable, LeaseNamespaceAmbiguous, LeaseNamespaceGone. */
  readonly conditions?: readonly ReservationCondition[] | undefined;
}

/** The namespace in which pods, claims and Services are the lease's own. One of the same name and another uid is another one. */
export interface LeaseNamespace {
  readonly name: string;
  readonly uid: string;
}
