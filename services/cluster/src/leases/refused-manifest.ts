import type { Reason } from '../placement/stock-facts.ts';

/** A manifest of the market that was refused, and when it is fetched and judged again. */
export interface RefusedManifest {
  readonly hash: string;
  readonly waitMs: number;
  /** By the monotonic clock. */
  readonly againAt: number;
}

/** What may become otherwise without another manifest: others give hostnames back, and losses are confirmed. */
const mayPass: ReadonlySet<string> = new Set(['HostnameTaken', 'HostnameCoolingDown', 'HostnameLimit', 'DataLossUnconfirmed']);
const firstWaitMs = 30_000;
const longestWaitMs = 300_000;

/**
 * Each time costs the market a read of the SDL, and a tenant may have many leases whose manifests are refused: those that time alone does not change are judged seldom, and
 * the others less and less often.
 */
export function refusedAgain(hash: string, reasons: readonly Reason[], last: RefusedManifest | undefined, now: number): RefusedManifest {
  const isPassing = reasons.every(({ code }) => mayPass.has(code));
  const waitMs = isPassing ? Math.min((last?.waitMs ?? firstWaitMs / 2) * 2, longestWaitMs) : longestWaitMs;
  return { hash, waitMs, againAt: now + waitMs };
}
