import { httpStatus, type StatusCode, StatusError, statusCodes } from '@quartermaster/kernel';
import * as z from 'zod';
import type { Upstream } from '../../server/upstream.ts';
import type { StreamRequest } from './stream-request.ts';

/** A provider's gateway, and what opens it for one lease. Stays on this side: a page never sees it. */
export interface LeaseAccess {
  readonly token: string;
  readonly uri: string;
  /** PEM; empty: those that Node knows. */
  readonly authority: string;
}

/** The gateway ends a stream with its token. What is read is joined again by the page; a shell is not, and nothing of it may be lost before its day is over. */
const lifetimeOf = (scope: StreamRequest['scope']): string => (scope === 'shell' ? '43200s' : '900s');

const answered = z.object({
  token: z.string().min(1),
  gateway: z.object({ uri: z.string().min(1), certificate_authority: z.string().default('') }).nullish(),
});
const refused = z.object({ code: z.enum(statusCodes), message: z.string() });

/** Has the market sign a token for one stream of one lease, in the name of whoever looks. Throws what the market refuses with. */
export async function leaseToken(
  market: Upstream,
  token: string,
  { lease, scope, services }: StreamRequest,
  signal: AbortSignal,
): Promise<LeaseAccess> {
  const answer = await market.send(
    {
      method: 'POST',
      path: `/api/market/v1/leases/${encodeURIComponent(lease)}:token`,
      headers: { accept: 'application/json', 'content-type': 'application/json' },
      body: Buffer.from(JSON.stringify({ scopes: [scope], services, lifetime: lifetimeOf(scope) })),
      token,
    },
    signal,
  );
  const body: unknown = await answer.json().catch(() => undefined);
  if (!answer.ok) {
    const { data } = refused.safeParse(body);
    throw new StatusError(data?.code ?? codeOfStatus(answer.status), data?.message ?? `the market answered ${answer.status}`);
  }
  const { data } = answered.safeParse(body);
  if (data === undefined) throw new StatusError('unavailable', 'the market answers with no token');
  const { gateway } = data;
  if (gateway === undefined || gateway === null) {
    throw new StatusError('unavailable', 'the provider has not said yet where its gateway is');
  }
  return { token: data.token, uri: gateway.uri, authority: gateway.certificate_authority };
}

/** Of what somebody answers who does not say a code; what nobody knows may pass. */
export function codeOfStatus(status: number): StatusCode {
  return (
    statusCodes.find((code) => httpStatus[code] === status && code !== 'internal') ?? (status === 422 ? 'invalid_argument' : 'unavailable')
  );
}
