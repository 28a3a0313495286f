import type { Host } from '@quartermaster/api/private';
import { withDispute } from './dispute.ts';
import { claimantOf, claimedBy, claimKey, type HostClaim, isSameClaim } from './host-claim.ts';
import { type HostMarks, listMarks, marksOf } from './host-marks.ts';
import type { MachineCensus } from './machine-census.ts';

/** What somebody says of one machine, beside the host that they have for it, if they have one. */
export interface Claimant {
  readonly source: string;
  readonly sourceId: string;
  readonly marks: HostMarks;
  /** The host of the claimant for this machine, as it will be. */
  readonly own: Host | undefined;
  /** The host that the source asks for by its id, if any. */
  readonly asked: Host | undefined;
}

/** Claims as they were read and as they are to be. Pure: what differs is for the caller to write. */
export class ClaimLedger {
  readonly #stored: ReadonlyMap<string, HostClaim>; // key -> claim
  readonly #claims: Map<string, HostClaim>;

  constructor(stored: Iterable<HostClaim>) {
    this.#stored = new Map([...stored].map((claim) => [claimKey(claim), claim]));
    this.#claims = new Map(this.#stored);
  }

  /**
   * Makes the claims what follows from what the claimant says now, in both directions: of others' hosts, and of others on its own host. Gives back the hosts whose claims
   * changed.
   */
  settle(claimant: Claimant, census: MachineCensus): ReadonlySet<string> {
    const { own } = claimant;
    const wanted = new Map(wantedClaims(claimant, census).map((claim) => [claimKey(claim), claim]));
    const changed = new Set<string>();
    for (const [key, claim] of this.#claims) {
      const isTheirs = (claim.source === claimant.source && claim.sourceId === claimant.sourceId) || claim.byHost === own?.id;
      const isOnOwn = own !== undefined && claim.hostId === own.id;
      if (wanted.has(key) || !(isTheirs || isOnOwn)) continue;
      // What a source says of the own host without having a host itself stands while the host answers to it.
      if (!isTheirs && claim.byHost === '' && own !== undefined && claimedBy(claim, own) !== undefined) continue;
      this.#claims.delete(key);
      changed.add(claim.hostId);
    }
    for (const [key, claim] of wanted) {
      const known = this.#claims.get(key);
      if (known !== undefined && isSameClaim(known, claim)) continue;
      this.#claims.set(key, claim);
      changed.add(claim.hostId);
    }
    return changed;
  }

  /** The same for a host that is not itself spoken of, but that others have something in common with. */
  settleHost(host: Host, census: MachineCensus): ReadonlySet<string> {
    return this.settle({ ...claimantOf(host), marks: marksOf(host.spec), own: host, asked: undefined }, census);
  }

  drop(isDropped: (claim: HostClaim) => boolean): void {
    for (const [key, claim] of this.#claims) if (isDropped(claim)) this.#claims.delete(key);
  }

  /** The host with the condition that the claims on it ask for; the same object when it is so already. */
  judge(host: Host, nowMs: number): Host {
    // One that goes away is nobody's to dispute.
    if (host.metadata?.deletionTimestamp !== undefined) return host;
    return withDispute(host, [...this.#claims.values()], nowMs);
  }

  /** What is to be written. */
  changes(): { readonly put: readonly HostClaim[]; readonly dropped: readonly HostClaim[] } {
    return {
      put: [...this.#claims].filter(([key, claim]) => !same(this.#stored.get(key), claim)).map(([, claim]) => claim),
      dropped: [...this.#stored].filter(([key]) => !this.#claims.has(key)).map(([, claim]) => claim),
    };
  }
}

/** Of the claimant on hosts of others and, where it has a host, of theirs on that. */
function wantedClaims({ source, sourceId, marks, own, asked }: Claimant, census: MachineCensus): readonly HostClaim[] {
  if (own === undefined) {
    const marked = new Map(census.withMarks(listMarks(marks)).map(({ host, mark }) => [host.id, mark]));
    if (asked !== undefined && !marked.has(asked.id)) marked.set(asked.id, 'id');
    return [...marked].map(([hostId, mark]) => ({ source, sourceId, hostId, byHost: '', marks, isById: hostId === asked?.id, mark }));
  }
  return census.alikeTo(own).flatMap(({ host, mark }): HostClaim[] => [
    { source, sourceId, hostId: host.id, byHost: own.id, marks, isById: false, mark },
    { ...claimantOf(host), hostId: own.id, byHost: host.id, marks: marksOf(host.spec), isById: false, mark },
  ]);
}

const same = (one: HostClaim | undefined, other: HostClaim): boolean => one !== undefined && isSameClaim(one, other);
