import type { FollowState } from '@quartermaster/kernel';
import { formatDuration, formatTime } from './relative-time.ts';

export interface FreshnessInput {
  readonly now: number;
  /** Of the stream to the console's server. */
  readonly connection: FollowState;
  /** When the server was last heard of; undefined before the first message. */
  readonly heardAt: number | undefined;
  /** When the cluster last confirmed what is shown; undefined while it has not been read. */
  readonly observedAt: number | undefined;
}

/**
 * How far what is on the screen can be believed. `waiting`: nothing has arrived yet. `live`: confirmed within the limit.
 * `doubtful`: still within it, but the connection is broken. `stale`: past it, whoever is silent.
 */
export interface Freshness {
  readonly kind: 'waiting' | 'live' | 'doubtful' | 'stale';
  /** For the indicator: `live · 2 s ago`. */
  readonly label: string;
  /** Whether the server itself has been silent past the limit, so that not even the health of the parts is known. */
  readonly isServerStale: boolean;
  /** For the notice above stale panels: what is silent, since when, and what happens next. */
  readonly sentence: string | undefined;
}

/** Older than this, nothing is called live. */
export const staleAfterMs = 30_000;

export function freshnessOf({ now, connection, heardAt, observedAt }: FreshnessInput): Freshness {
  if (heardAt === undefined) return waiting(connection, now);
  const confirmedAt = Math.min(heardAt, observedAt ?? heardAt);
  const ageMs = Math.max(0, now - confirmedAt);
  const age = formatDuration(ageMs);
  const isServerStale = now - heardAt > staleAfterMs;
  if (ageMs > staleAfterMs) {
    const sentence = staleSentence(`for ${age}, since ${formatTime(confirmedAt)}`, connection, now);
    return { kind: 'stale', label: `stale · last confirmed ${age} ago`, isServerStale, sentence };
  }
  if (connection.kind !== 'following') return { kind: 'doubtful', label: `reconnecting · ${age} ago`, isServerStale, sentence: undefined };
  return { kind: 'live', label: ageMs < 1000 ? 'live · just now' : `live · ${age} ago`, isServerStale, sentence: undefined };
}

function waiting(connection: FollowState, now: number): Freshness {
  if (connection.kind !== 'reconnecting') return { kind: 'waiting', label: 'connecting', isServerStale: false, sentence: undefined };
  const sentence = `Quartermaster has not answered for ${formatDuration(now - connection.since)}. ${retryText(connection, now)}`;
  return { kind: 'waiting', label: 'no connection', isServerStale: true, sentence };
}

function staleSentence(silence: string, connection: FollowState, now: number): string {
  if (connection.kind === 'following') {
    return `Quartermaster answers, but the cluster has not confirmed this ${silence}. What is hatched was last known; it may have changed.`;
  }
  return `The connection to Quartermaster is broken: nothing here has been confirmed ${silence}. Below is what was last known. ${retryText(connection, now)}`;
}

function retryText(connection: FollowState, now: number): string {
  if (connection.kind !== 'reconnecting' || connection.retryAt <= now) return 'Trying again now.';
  return `Trying again in ${formatDuration(connection.retryAt - now + 999)}; if it does not come back, is quartermaster up still running?`;
}
