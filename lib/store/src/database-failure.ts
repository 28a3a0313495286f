import { type StatusCode, StatusError } from '@quartermaster/kernel';
import pg from 'pg';

/** What PostgreSQL said, without anything of the statement or its values. The details of every StatusError that comes from the database. */
export interface DatabaseFailure {
  readonly source: 'database';
  /** Five characters, such as 23505; absent when the connection failed. */
  readonly sqlState?: string | undefined;
  readonly constraint?: string | undefined;
  readonly table?: string | undefined;
  readonly column?: string | undefined;
  /** True when the connection was lost while it committed: the change may have been made or not. */
  readonly isOutcomeUnknown?: boolean | undefined;
}

interface Rule {
  readonly code: StatusCode;
  readonly message: (failure: DatabaseFailure) => string;
}

const busy: Rule = { code: 'unavailable', message: () => 'the database is busy with the same objects; try again' };
const away: Rule = { code: 'unavailable', message: () => 'the database is not available now; try again later' };
const full: Rule = { code: 'unavailable', message: () => 'the database is out of connections, memory or disk space; see its log' };
const slow: Rule = { code: 'unavailable', message: () => 'the database took too long to answer; try again, or ask for less at a time' };
const refused: Rule = {
  code: 'unavailable',
  message: () => 'the database rejects the login; check user, password, database and sslmode in the URL, and its pg_hba.conf',
};

// SQLSTATE, or the two characters of its class -> what it means here
const rules: Readonly<Record<string, Rule>> = {
  '23505': { code: 'already_exists', message: ({ constraint }) => `the value is taken (constraint "${constraint ?? '?'}")` },
  '23503': { code: 'failed_precondition', message: ({ constraint }) => `another object refers to it (constraint "${constraint ?? '?'}")` },
  '23514': { code: 'invalid_argument', message: ({ constraint }) => `the value violates the constraint "${constraint ?? '?'}"` },
  '25006': { code: 'unavailable', message: () => 'the database is read-only now: it is a standby, or a failover is in progress' },
  '3D000': { code: 'unavailable', message: () => 'the database of the URL does not exist; create it, or correct the URL' },
  '55P03': busy,
  '57014': slow,
  '08': away,
  '22': { code: 'invalid_argument', message: () => 'a value is of the wrong type or out of range for the database' },
  '25': away,
  '28': refused,
  '40': busy,
  '53': full,
  '54': { code: 'invalid_argument', message: () => 'the request is larger than the database can handle; ask for less at a time' },
  '57': away,
  '58': { code: 'unavailable', message: () => 'the database cannot read or write its files; see its log' },
};

/** The failure that a StatusError came from, or undefined when it came from elsewhere. */
export function databaseFailure(thrown: unknown): DatabaseFailure | undefined {
  const details = thrown instanceof StatusError ? thrown.details : undefined;
  return isDatabaseFailure(details) ? details : undefined;
}

function isDatabaseFailure(details: unknown): details is DatabaseFailure {
  return typeof details === 'object' && details !== null && 'source' in details && details.source === 'database';
}

/**
 * A StatusError for what `pg` threw. The original is not kept as the cause: its text may quote values, which may be secrets. A statement that is
 * wrong in itself keeps PostgreSQL's sentence, which then names columns and operators of our own.
 */
export function toStatusError(thrown: unknown): StatusError {
  if (thrown instanceof StatusError) return thrown;
  if (!(thrown instanceof pg.DatabaseError)) {
    if (isConversion(thrown))
      return new StatusError('internal', `a value cannot be converted between the program and the database (${thrown.name})`);
    return new StatusError('unavailable', connectionMessage(thrown), { details: { source: 'database' } satisfies DatabaseFailure });
  }
  const { code: sqlState = '', constraint, table, column } = thrown;
  const failure: DatabaseFailure = { source: 'database', sqlState, constraint, table, column };
  const rule = rules[sqlState] ?? rules[sqlState.slice(0, 2)];
  if (rule !== undefined) return new StatusError(rule.code, rule.message(failure), { details: failure });
  const sentence = sqlState.startsWith('42') ? `: ${thrown.message}` : '';
  return new StatusError('internal', `the database refused a statement with SQLSTATE ${sqlState}${sentence}`, { details: failure });
}

/** The connection was lost after COMMIT was sent and before its answer came. */
export function outcomeUnknown(): StatusError {
  const message =
    'the connection to the database was lost while the change was committed: it may have been made or not; read again before you repeat it';
  return new StatusError('unavailable', message, { details: { source: 'database', isOutcomeUnknown: true } satisfies DatabaseFailure });
}

/** Whether the connection can no longer be used after this. */
export function isConnectionLost(thrown: unknown): boolean {
  if (!(thrown instanceof pg.DatabaseError)) return !(thrown instanceof StatusError) && !isConversion(thrown);
  const state = thrown.code ?? '';
  return ['08', '57', '58'].includes(state.slice(0, 2)) ? state !== '57014' : state === '25P03' || state === '25P04';
}

/** PostgreSQL gave this transaction up for the sake of another: the same work may succeed now. */
export function isRetryable(thrown: unknown): boolean {
  const state = thrown instanceof pg.DatabaseError ? thrown.code : databaseFailure(thrown)?.sqlState;
  return state === '40001' || state === '40P01';
}

/** The codes with which Node refuses a certificate. */
const certificateCodes = /^(UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|CERT_|ERR_TLS_CERT_|HOSTNAME_MISMATCH)/;

/** Messages of the operating system name addresses, never values of statements. */
function connectionMessage(thrown: unknown): string {
  const code = thrown instanceof Error && 'code' in thrown && typeof thrown.code === 'string' ? thrown.code : undefined;
  if (code !== undefined && certificateCodes.test(code)) {
    return `the certificate of the database is not trusted (${code}); name its CA with sslrootcert=FILE in the URL, and use a host name that the certificate is valid for`;
  }
  if (thrown instanceof Error && thrown.message === 'The server does not support SSL connections') {
    return 'the database does not support TLS; enable it there, or set sslmode=disable in the URL';
  }
  return `the database cannot be reached${code === undefined ? '' : ` (${code})`}; the service reconnects by itself`;
}

/** What `pg` throws for values, not for connections. */
function isConversion(thrown: unknown): thrown is Error {
  return (thrown instanceof TypeError || thrown instanceof RangeError || thrown instanceof SyntaxError) && !('code' in thrown);
}
