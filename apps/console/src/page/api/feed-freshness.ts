import { type Freshness, staleAfterMs } from '../model/freshness.ts';
import { formatDuration, formatTime } from '../model/relative-time.ts';
import type { FeedState } from './event-feed.ts';

/** How far the last word of the fulfillment service can be believed. */
export function feedFreshness({ connection, heardAt, problem }: FeedState, now: number): Freshness {
  if (heardAt === undefined) {
    if (connection.kind !== 'reconnecting') return { kind: 'waiting', label: 'connecting', isServerStale: false, sentence: undefined };
    const sentence = `The fulfillment service has not answered for ${formatDuration(now - connection.since)}: ${problem ?? 'it is silent'}.`;
    return { kind: 'waiting', label: 'no connection', isServerStale: true, sentence };
  }
  const ageMs = Math.max(0, now - heardAt);
  const age = formatDuration(ageMs);
  if (ageMs > staleAfterMs) {
    const retry =
      connection.kind === 'reconnecting' && connection.retryAt > now
        ? `Trying again in ${formatDuration(connection.retryAt - now + 999)}.`
        : 'Trying again now.';
    const sentence = `The fulfillment service has not answered for ${age}, since ${formatTime(heardAt)}: below is what was last known. ${retry}`;
    return { kind: 'stale', label: `stale · last confirmed ${age} ago`, isServerStale: true, sentence };
  }
  if (connection.kind !== 'following')
    return { kind: 'doubtful', label: `reconnecting · ${age} ago`, isServerStale: false, sentence: undefined };
  return { kind: 'live', label: ageMs < 1000 ? 'live · just now' : `live · ${age} ago`, isServerStale: false, sentence: undefined };
}
