import { accessSync, constants } from 'node:fs';
import { messageOf, StatusError } from '@quartermaster/kernel';
import pg from 'pg';
import { parseTimestamp } from './timestamp.ts';

/** A text that is shown nowhere, such as the Secret of @quartermaster/service. */
export interface Revealable {
  reveal(): string;
}

export interface ConnectionOptions {
  /** `postgresql://user:password@host:port/database?sslmode=verify-full`, as libpq and `pg` know it. */
  readonly url: string | Revealable;
  /** What PostgreSQL lists as the name of the client. */
  readonly applicationName?: string | undefined;
}

interface SessionLimits {
  /** No statement takes longer; 0 for no limit. */
  readonly statementTimeoutMs: number;
  /** A transaction in which nothing happens is ended, since it holds locks and holds back the feed; 0 for no limit. */
  readonly idleInTransactionMs: number;
}

/** How long a caller waits for a connection at most. */
export const connectTimeoutMs = 10_000;
/** How much longer than the server's own limit the client waits: only a connection that died silently gets there. */
const graceMs = 5_000;

const oid = { int8: 20, int8Array: 1016, timestamptz: 1184 } as const;

/** Times in UTC and in the one form that parseTimestamp knows. */
const sessionOptions = '-c TimeZone=UTC -c DateStyle=ISO -c IntervalStyle=postgres';

export function connectionConfig(options: ConnectionOptions, limits: SessionLimits): pg.ClientConfig {
  const { statementTimeoutMs, idleInTransactionMs } = limits;
  return {
    connectionString: verified(textOf(options.url)),
    application_name: options.applicationName ?? 'quartermaster',
    options: sessionOptions,
    connectionTimeoutMillis: connectTimeoutMs,
    keepAlive: true,
    types: exactTypes(),
    ...(statementTimeoutMs > 0 ? { statement_timeout: statementTimeoutMs, query_timeout: statementTimeoutMs + graceMs } : {}),
    ...(idleInTransactionMs > 0 ? { idle_in_transaction_session_timeout: idleInTransactionMs } : {}),
  };
}

/** Refuses at once what can never work, so that a misspelt URL is not retried for ever. Does not show it: it holds a password. */
export function checkUrl(url: string | Revealable): void {
  const text = textOf(url);
  const readable = text.replace('@/', '@localhost/');
  if (!/^postgres(ql)?:\/\//.test(text) || !URL.canParse(readable)) {
    throw new StatusError(
      'invalid_argument',
      'the database URL must look like postgresql://user:password@host:5432/database; special characters in it are percent-encoded',
    );
  }
  const { searchParams } = new URL(readable);
  const mode = searchParams.get('sslmode');
  if (mode !== null && !sslModes.includes(mode)) {
    throw new StatusError('invalid_argument', `sslmode of the database URL must be one of ${sslModes.join(', ')}, not "${mode}"`);
  }
  for (const name of ['sslrootcert', 'sslcert', 'sslkey']) {
    const file = searchParams.get(name);
    if (file !== null && file !== 'system') checkFile(name, file);
  }
}

const textOf = (url: string | Revealable): string => (typeof url === 'string' ? url : url.reveal());

const sslModes: readonly string[] = ['disable', 'prefer', 'require', 'verify-ca', 'verify-full', 'no-verify'];

/** `pg` takes these three for verify-full already, and warns of a release in which it will not. */
function verified(url: string): string {
  return /[?&]uselibpqcompat=true(&|$)/.test(url) ? url : url.replace(/([?&]sslmode=)(?:prefer|require|verify-ca)(?=&|$)/, '$1verify-full');
}

function checkFile(name: string, file: string): void {
  try {
    accessSync(file, constants.R_OK);
  } catch (thrown) {
    throw new StatusError('invalid_argument', `${name} of the database URL cannot be read: ${messageOf(thrown)}`);
  }
}

/** Numbers and times without loss: int8 as bigint, timestamptz as Timestamp; everything else as `pg` has it. */
function exactTypes(): pg.TypeOverrides {
  const types = new pg.TypeOverrides();
  types.setTypeParser(oid.int8, BigInt);
  types.setTypeParser(oid.int8Array, (text) => text.slice(1, -1).split(',').filter(Boolean).map(BigInt));
  types.setTypeParser(oid.timestamptz, parseTimestamp);
  return types;
}
