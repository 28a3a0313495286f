import type { FollowState } from '@quartermaster/kernel';
import { formatDuration, formatTime } from './relative-time.ts';

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

export interface FreshnessInput {
  readonly now: number;
  readonly connection: FollowState;
  /** When the other side was last heard of; undefined before the first sound. */
  readonly heardAt: number | undefined;
  /** When the cluster last confirmed what is shown; undefined while it has not been read, or where that is not the question. */
  readonly observedAt?: number | undefined;
}

/** `sentence` is told for how long nobody answered, and since when if somebody ever did. */
function judge({ now, connection, heardAt, observedAt = heardAt }: FreshnessInput, sentence: (silence: string) => string): Freshness {
  if (heardAt === undefined || observedAt === undefined) {
    if (connection.kind !== 'reconnecting') return { kind: 'waiting', label: 'connecting', isServerStale: false, sentence: undefined };
    return {
      kind: 'waiting',
      label: 'no connection',
      isServerStale: true,
      sentence: sentence(`for ${formatDuration(now - connection.since)}`),
    };
  }
  const confirmedAt = Math.min(heardAt, observedAt);
  const ageMs = Math.max(0, now - confirmedAt);
  const age = formatDuration(ageMs);
  const isServerStale = now - heardAt > staleAfterMs;
  if (ageMs > staleAfterMs) {
    const silence = `for ${age}, since ${formatTime(confirmedAt)}`;
    return { kind: 'stale', label: `stale · last confirmed ${age} ago`, isServerStale, sentence: sentence(silence) };
  }
  if (connection.kind !== 'following') return { kind: 'doubtful', label: `reconnecting · ${age} ago`, isServerStale, sentence: undefined };
  return { kind: 'live', label: ageMs < 1000 ? 'live · just now' : `live · ${age} ago`, isServerStale, sentence: undefined };
}

/** How far the last word of the console's server about the cluster can be believed. */
export function freshnessOf(input: FreshnessInput): Freshness {
  const { now, connection, heardAt } = input;
  const retry = retryText(connection, now, '; if it does not come back, is quartermaster up still running?');
  return judge(input, (silence) => {
    if (heardAt === undefined) return `Quartermaster has not answered ${silence}. ${retry}`;
    return connection.kind === 'following'
      ? `Quartermaster answers, but the cluster has not confirmed this ${silence}. Hatched values are the last known and may have changed.`
      : `The connection to Quartermaster is broken: nothing here has been confirmed ${silence}. The values below are the last known. ${retry}`;
  });
}

/** How far the last word of a service with events can be believed. */
export function feedFreshness(input: FreshnessInput, problem: string | undefined, who = 'fulfillment service'): Freshness {
  const { now, connection, heardAt } = input;
  const rest =
    heardAt === undefined ? `${problem ?? 'it is silent'}.` : `the values below are the last known. ${retryText(connection, now, '.')}`;
  return judge(input, (silence) => `The ${who} has not answered ${silence}: ${rest}`);
}

function retryText(connection: FollowState, now: number, end: string): string {
  if (connection.kind !== 'reconnecting' || connection.retryAt <= now) return 'Trying again now.';
  return `Trying again in ${formatDuration(connection.retryAt - now + 999)}${end}`;
}
