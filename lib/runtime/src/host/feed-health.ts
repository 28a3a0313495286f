import { degraded, formatDuration, type HealthStatus, healthy } from '@quartermaster/service';
import type { FeedHolder, FeedLag } from '@quartermaster/store';

/** Longer than any statement of ours may take: whoever holds the feed back by then does so by mistake, or the database cannot keep up. */
export const lateMs = 45_000;

/** Degraded while watches are told of changes much later than they were made. What is unknown is no reason: the database itself tells that it is away. */
export function feedHealth(lag: FeedLag | undefined): HealthStatus {
  if (lag === undefined || lag.behindMs < lateMs) return healthy;
  const late = `watches have not been told of changes for ${inSeconds(lag.behindMs)}`;
  if (lag.holder === undefined) {
    return degraded(`${late}: the change feed cannot be read fast enough; look at the load of the database and of this process`);
  }
  return degraded(`${late}: they wait for a transaction to end, ${holderInWords(lag.holder)}`);
}

function holderInWords({ pid, preparedAs, user, application, database, state, openMs }: FeedHolder): string {
  const facts = [
    ...(user === undefined ? [] : [`user ${user}`]),
    ...(application === undefined || application === '' ? [] : [`application ${application}`]),
    ...(database === undefined ? [] : [`database ${database}`]),
    ...(state === undefined ? [] : [state]),
    ...(openMs === undefined ? [] : [`open for ${inSeconds(openMs)}`]),
  ].join(', ');
  if (preparedAs !== undefined) {
    return `the prepared transaction "${preparedAs}" (${facts}): end it with COMMIT PREPARED or ROLLBACK PREPARED`;
  }
  if (pid !== undefined) return `that of session ${pid} (${facts}): end it there, or with pg_terminate_backend(${pid})`;
  return 'which is none that pg_stat_activity shows to this user: look there as a superuser, and in pg_prepared_xacts';
}

const inSeconds = (ms: number): string => formatDuration(Math.round(ms / 1000) * 1000);
