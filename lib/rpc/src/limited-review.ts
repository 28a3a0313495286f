import type { Clock } from '@quartermaster/kernel';
import type { Caller, Identity } from './authentication.ts';
import { CallLimits } from './call-limits.ts';

/** Twenty guesses at once and five a second from one address, each of which an API server is asked about. Those who are known may call ten times as often. */
const perSecond = 50;

/**
 * Says whose the token of a caller is, on a port that is not one of our services. Throws `resource_exhausted` for calls from an address that keeps showing no token, or
 * such that nobody owns, before anybody is asked about it. Callers that were known lately are not held up by what others send from the same address.
 */
export function limitedReview<Owner extends Pick<Identity, 'name' | 'groups'>>(
  review: (token: string, signal: AbortSignal) => Promise<Owner | undefined>,
  clock: Clock,
): (caller: Pick<Caller, 'peer' | 'token'>, signal: AbortSignal) => Promise<Owner | undefined> {
  const limits = new CallLimits({ perSecond, clock });
  return async ({ peer, token }, signal) => {
    limits.arrived(peer, token);
    const owner = token === undefined ? undefined : await review(token, signal);
    if (owner === undefined) limits.refused(peer, token);
    else limits.called({ kind: 'token', name: owner.name, groups: owner.groups, vouchedBy: 'token-review' }, peer, token);
    return owner;
  };
}
