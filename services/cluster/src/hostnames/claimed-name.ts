import type { Claim } from './claim.ts';
import type { ClaimedName } from './hostname-book.ts';

/** As others see it. Not of a record of a parent, which is no claim. */
export function claimedName({ hostname, service, externalPort, isStatic, owner, lease, state, since }: Claim): ClaimedName {
  if (state === 'Parent') throw new TypeError(`${hostname} is the record of a parent`);
  return { hostname, service, externalPort, isStatic, owner, lease, state, since };
}
