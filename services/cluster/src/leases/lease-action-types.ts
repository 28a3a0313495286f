import type { ManifestChanges } from '@quartermaster/api/lease-manifest';
import type { ClaimedName, WantedHostname } from '../hostnames/hostname-book.ts';
import type { ReceivedManifest } from '../market/market.ts';
import type { OrderId } from '../model/order.ts';
import type { Reason } from '../placement/stock-facts.ts';

/** Something that no lease has any more, or that nobody knows whether one has. */
export interface Leftover {
  /** `Namespace lease-…`, `Manifest lease/…`. */
  readonly object: string;
  /** By the name of its order; empty where nobody knows. */
  readonly lease: string;
  readonly reason: string;
  /** `kept`: nobody is certain that it is over, and a person decides. */
  readonly fate: 'removed' | 'removable' | 'kept';
  readonly message: string;
}

export interface WantedAddress {
  /** In the manifests of both leases. */
  readonly endpoint: string;
  /** Whose lease has it. */
  readonly from: OrderId;
}

/** What a caller may have the leader do. */
export interface LeaseActions {
  /** Throws `failed_precondition` with what is in the way. */
  submitManifest(order: OrderId, manifest: ReceivedManifest, signal: AbortSignal): Promise<void>;
  previewManifest(
    order: OrderId,
    json: string,
    signal: AbortSignal,
  ): Promise<{ readonly changes: ManifestChanges; readonly refusals: readonly Reason[] }>;
  closeLease(order: OrderId, reason: string, signal: AbortSignal): Promise<void>;
  transferHostname(order: OrderId, wanted: WantedHostname, signal: AbortSignal): Promise<ClaimedName>;
  /** Gives the address of an endpoint of another lease of the owner to this one. Answers the address. */
  transferAddress(order: OrderId, wanted: WantedAddress, signal: AbortSignal): Promise<string>;
  collectLeftovers(options: { readonly dryRun: boolean }, signal: AbortSignal): Promise<readonly Leftover[]>;
}
