import { createHash } from 'node:crypto';
import type { DeliveryReport, KnownOrder, MarketLease, ReceivedManifest } from './market.ts';

/** An order of a recording, and what became of it. */
export interface RecordedEntry extends KnownOrder {
  /** There never is a bid on it any more. */
  readonly isWithdrawn: boolean;
  readonly manifest?: ReceivedManifest | undefined;
  readonly delivery?: DeliveryReport | undefined;
}

export const received = (json: string, confirmed: readonly string[] = []): ReceivedManifest => ({ json, confirmed });

export const withHash = (lease: MarketLease, manifest: ReceivedManifest | undefined): MarketLease => ({
  ...lease,
  manifestHash: manifest && createHash('sha256').update(manifest.json).digest('hex'),
});

export const closedEntry = (entry: RecordedEntry, lease: MarketLease, reason: string): RecordedEntry => ({
  ...entry,
  state: 'closed',
  bid: entry.bid && { ...entry.bid, state: 'closed', reason },
  lease: { ...lease, state: 'closed', reason },
});
