import { createHash, randomUUID } from 'node:crypto';
import { type Principal, principalOf } from '@quartermaster/auth';
import type { CallContext } from '@quartermaster/rpc';
import type { AuditOrigin } from '../audit/audit-entry.ts';

/** Who does something, and how. */
export interface Call {
  readonly principal: Principal;
  readonly origin: AuditOrigin;
  /** Check everything and answer as if it were done, and do nothing. */
  readonly isDryRun: boolean;
}

const dryRunHeader = 'x-dry-run';
const requestIdHeader = 'x-request-id';
const maxRequestIdLength = 128;

/** Throws `unauthenticated` for a caller that nobody knows. */
export function callOf(context: CallContext, request: { readonly dryRun?: boolean } = {}): Call {
  const principal = principalOf(context.identity);
  const isAsked = context.header(dryRunHeader)?.trim().toLowerCase() === 'true';
  return {
    principal,
    origin: {
      actor: principal.name,
      role: principal.role,
      peer: context.peer,
      method: context.method,
      requestId: requestId(context.header(requestIdHeader)),
    },
    isDryRun: request.dryRun === true || isAsked,
  };
}

/** The caller's own, where it can be stored and read as it is; the digest of one that cannot. */
function requestId(sent: string | undefined): string {
  if (sent === undefined || sent === '') return randomUUID();
  if (sent.length <= maxRequestIdLength && /^[\x21-\x7e]+$/.test(sent)) return sent;
  return createHash('sha256').update(sent).digest('hex').slice(0, 32);
}
