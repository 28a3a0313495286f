import { type Claim, type ClaimContent, isWildcard } from './claim.ts';
import type { HostnameGrant } from './hostname-book.ts';

/*
 * How a name gets one owner, whatever happens in between.
 *
 * There is one object for each name, its claim, and one for each parent domain, its record. The server changes one object at a time, and only from the version that a write
 * names. So two lines of one claim need no argument; a wildcard W = *.p and a name X = x.p do. Below, A and B are two accounts, and P is the record of p.
 *
 * X of B:  1. X is made, Claiming.
 *          2. P is read. Where it names another owner O, W is read after it: it must be gone, or released and cooled down, or B's; then O is taken out.
 *          3. P is written, from what was read (at least its count of changes changes).
 *          4. X becomes Held, from the version of 1.
 * W of A:  1. W is made, Claiming.
 *          2. P is read. After that everything below p is listed: it must hold W in the version of 1, and nothing of others that counts.
 *          3. P is written with owner A, from what was read.
 *          4. W becomes Held, from the version of 1.
 *
 * Whoever continues after a pause, or begins anew after a crash, begins at 2 with the version of its claim that is there, or at 1. What was read of P may come from a copy:
 * the write of 3 fails unless it is still what there is.
 *
 * (a) While W is Held by A, P names A. It does after 3. Afterwards, who could take A out? Somebody who read P after 3 of A (else the write fails) and then W or the list. W is in
 * the version of 1, or Held by A, all the time from 3 on. So a name of another owner finds it in its way, and the wildcard of another owner does not find its own claim: neither
 * writes. And P is deleted only from a version after which a list showed nothing below p, but W is there.
 *
 * (b) W of A and X of B are never both Held. Suppose they are. Each wrote P while its claim was in the version that became Held. If W wrote first, X read P after that, (a) says
 * that it named A, then X read W, found it Claiming or Held by A, and withdrew. If X wrote first, W read P after that (P is not deleted meanwhile: X is below p), and its list shows
 * X, Claiming or Held: W did not write. Either contradicts.
 *
 * A claim that nobody finishes is deleted in the version in which it was seen, so that either this or its step 4 happens. The clock decides how long a released name is kept for
 * its owner, never who has it.
 */

/** Who asks for a name. */
export interface Asker {
  readonly owner: string;
  /** By the name of its order. */
  readonly lease: string;
  readonly service: string;
  readonly externalPort: number;
  readonly isStatic: boolean;
}

export interface Moment {
  readonly now: number;
  readonly coolDownMs: number;
}

export type Answer = Pick<HostnameGrant, 'state' | 'code' | 'message'>;

export type NextStep =
  | { readonly kind: 'answer'; readonly answer: Answer }
  /** From the claim that there is, or from none. */
  | { readonly kind: 'write'; readonly content: ClaimContent; readonly isNew: boolean }
  /** The claim is this lease's, and has to be compared with what is beside it. */
  | { readonly kind: 'finish' };

export const heldAnswer: Answer = { state: 'held', code: 'HostnameHeld', message: '' };

/** One step nearer to what is asked for. `moves`: also away from another lease of the same owner. */
export function nextStep(
  hostname: string,
  claim: Claim | undefined,
  asker: Asker,
  at: Moment,
  { moves }: { readonly moves: boolean },
): NextStep {
  const claiming = contentFor(hostname, asker, 'Claiming', at.now);
  if (claim === undefined) return { kind: 'write', content: claiming, isNew: true };
  if (claim.owner !== asker.owner) {
    const answer = obstacle(claim, asker.owner, at, `"${hostname}"`);
    return answer === undefined ? { kind: 'write', content: claiming, isNew: true } : { kind: 'answer', answer };
  }
  if (claim.state === 'Released') return { kind: 'write', content: { ...claiming, releasedAt: claim.since }, isNew: true };
  if (claim.lease !== asker.lease && !moves) return { kind: 'answer', answer: withheld(claim) };
  if (claim.state === 'Claiming' && claim.lease === asker.lease) return { kind: 'finish' };
  if (pointsTo(claim, asker)) return { kind: 'answer', answer: heldAnswer };
  const since = claim.lease === asker.lease ? claim.since : at.now;
  return { kind: 'write', content: { ...contentFor(hostname, asker, claim.state, since), releasedAt: claim.releasedAt }, isNew: false };
}

export function heldContent(claim: Claim, asker: Asker, now: number): ClaimContent {
  return contentFor(claim.hostname, asker, 'Held', now);
}

/** What becomes of a claim that its lease does not want any more: undefined where it goes at once. */
export function givenBack(claim: Claim, { now, coolDownMs }: Moment): ClaimContent | undefined {
  const nobody = { lease: '', service: '', externalPort: 0, releasedAt: undefined };
  // Nobody else could ever have it.
  if (claim.isStatic) return undefined;
  if (claim.state === 'Held') return { ...claim, ...nobody, state: 'Released', since: now };
  const { releasedAt } = claim;
  // It was never held; what is left of an earlier time stays its owner's.
  return releasedAt === undefined || releasedAt + coolDownMs <= now
    ? undefined
    : { ...claim, ...nobody, state: 'Released', since: releasedAt };
}

/** Of a claim that stands in the way of another account; undefined where it does not. `named` is what the message is about. */
function obstacle(claim: Claim, owner: string, { now, coolDownMs }: Moment, named: string): Answer | undefined {
  if (claim.owner === owner) return undefined;
  switch (claim.state) {
    case 'Held':
      return { state: 'refused', code: 'HostnameTaken', message: `${named} is used by another account: choose another name` };
    case 'Claiming':
      return {
        state: 'waiting',
        code: 'HostnameContended',
        message: `${named} is being claimed by another account: it is tried again`,
      };
    case 'Released': {
      if (claim.since + coolDownMs <= now) return undefined;
      const until = new Date(claim.since + coolDownMs).toISOString();
      return {
        state: 'refused',
        code: 'HostnameCoolingDown',
        message: `${named} was released by another account and is reserved for it until ${until}: try again then, or choose another name`,
      };
    }
    case 'Parent':
      return undefined;
  }
}

/** What keeps a name from its owner because of a wildcard, or a wildcard because of names. What is refused counts before what may pass. */
export function obstacleBeside(hostname: string, beside: readonly Claim[], owner: string, at: Moment): Answer | undefined {
  const named = isWildcard(hostname) ? `a name that "${hostname}" covers` : `the wildcard that covers "${hostname}"`;
  const found = beside.flatMap((claim) => (claim.hostname === hostname ? [] : (obstacle(claim, owner, at, named) ?? [])));
  return found.find(({ state }) => state === 'refused') ?? found[0];
}

/** Of a name that its owner does not have yet, where it has `limit` of them. */
export function beyondLimit(hostname: string, limit: number): Answer {
  const rule = `the ${limit} ${limit === 1 ? 'hostname' : 'hostnames'} that an account may have at this provider, including those it released recently`;
  const message = `"${hostname}" would be one more than ${rule}: take names out of its leases, or ask the provider to raise hostnames-per-owner`;
  return { state: 'refused', code: 'HostnameLimit', message };
}

/** The record after something below was claimed. A name takes an owner out whose wildcard is not in its way, which must have been looked at. */
export function nextRecord(parent: string, record: Claim | undefined, hostname: string, owner: string, now: number): ClaimContent {
  const before = record?.owner ?? '';
  const after = isWildcard(hostname) ? owner : before === owner ? owner : '';
  const nobody = { lease: '', service: '', externalPort: 0, isStatic: false };
  return { hostname: parent, state: 'Parent', owner: after, ...nobody, since: now, changes: (record?.changes ?? 0) + 1 };
}

function withheld({ hostname, owner, lease }: Claim): Answer {
  const other = lease.replace(/^.*-(\d+)-(\d+)-(\d+)$/, `${owner}/$1/$2/$3`);
  const message = `"${hostname}" is in use by lease ${other} of the same account: take it out of that lease, or ask the provider to transfer it`;
  return { state: 'withheld', code: 'HostnameWithheld', message };
}

const pointsTo = (claim: Claim, asker: Asker): boolean =>
  claim.state === 'Held' && claim.lease === asker.lease && claim.service === asker.service && claim.externalPort === asker.externalPort;

function contentFor(hostname: string, asker: Asker, state: Claim['state'], since: number): ClaimContent {
  const { owner, lease, service, externalPort, isStatic } = asker;
  return { hostname, state, owner, lease, service, externalPort, isStatic, since, changes: 0 };
}
