import { plainLine, type StatusCode, StatusError } from '@quartermaster/kernel';
import { closeCodes } from '../../gateway-view.ts';

/** How a stream ends. */
export interface Close {
  readonly code: number;
  readonly reason: string;
}

const { internal, notFound, unavailable, ended, limit, done } = closeCodes;

const codes: Readonly<Record<StatusCode, number>> = {
  invalid_argument: internal,
  unauthenticated: ended,
  permission_denied: ended,
  not_found: notFound,
  already_exists: internal,
  failed_precondition: ended,
  aborted: unavailable,
  resource_exhausted: limit,
  unavailable,
  internal,
};

/** What the protocol has room for. */
const mostReasonBytes = 123;

/** How a stream ends that cannot go on for this reason. */
export function closeOf(thrown: unknown): Close {
  if (!(thrown instanceof StatusError)) return { code: internal, reason: 'the console failed' };
  return { code: codes[thrown.code], reason: fitting(plainLine(thrown.message)) };
}

/** How to end one side when the other one ended so: some codes only say what happened, and cannot be sent. */
export function passedOn(code: number, reason: Buffer): Close {
  if (code === 1005) return { code: done, reason: '' };
  const isSent = (code >= 1000 && code <= 1014 && code !== 1004 && code !== 1006) || (code >= 3000 && code <= 4999);
  return isSent ? { code, reason: reason.toString() } : { code: unavailable, reason: 'the connection to the provider was lost' };
}

function fitting(text: string): string {
  if (Buffer.byteLength(text) <= mostReasonBytes) return text;
  const bytes = Buffer.from(text).subarray(0, mostReasonBytes - 3);
  return `${bytes.toString().replace(/\ufffd+$/, '')}…`;
}
