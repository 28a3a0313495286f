import type { DeliveryReport, Market } from '../../src/market/market.ts';
import type { OrderId } from '../../src/model/order.ts';

/** What a tenant does at a market: nothing else is needed to try one. */
export interface TenantsHand {
  /** Orders something small, for up to 10 or more of its denom. */
  order(): Promise<{ readonly order: OrderId; readonly denom: string }>;
  /** Takes the bid of the provider that is tried. */
  accept(order: OrderId): Promise<void>;
  acceptAnother(order: OrderId): Promise<void>;
  closeOrder(order: OrderId): Promise<void>;
  closeLease(order: OrderId): Promise<void>;
  /** What it has deployed with an order, as the manifest of it: JSON with sorted keys. */
  deployed(order: OrderId): Promise<string>;
  /** Has something else run in place of it. */
  change(order: OrderId): Promise<void>;
  /** How its lease goes, as it sees that. */
  delivery(order: OrderId): Promise<Pick<DeliveryReport, 'state' | 'message' | 'services' | 'gateway'> | undefined>;
  /** Registers what proves who it is, and says by which fingerprints that is known: none where the market takes none. */
  register(): Promise<readonly string[]>;
}

export interface TriedMarket {
  readonly market: Market;
  readonly hand: TenantsHand;
}
