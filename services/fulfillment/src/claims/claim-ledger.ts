import type { Host } from '@quartermaster/api/private';
import { claimedBy, claimKey, type HostClaim, isSameClaim } from './host-claim.ts';
import { type HostMarks, marksOf } from './host-marks.ts';
import { withSourceConflict } from './source-conflict.ts';

/** What a source says of one machine, beside the host that it has for it, if it has one. */
export interface Claimant {
  readonly source: string;
  readonly sourceId: string;
  readonly marks: HostMarks;
  /** The host of the source for this machine, as it will be. */
  readonly own: Host | undefined;
  /** Hosts that are not the source's and are the same machine. */
  readonly others: readonly Host[];
  /** The id that the source asks for, if any. */
  readonly askedId: string;
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
   * Makes the claims what follows from what the source says now, in both directions: of others' hosts, and of others on its own host. Gives back the hosts whose claims
   * changed.
   */
  settle(claimant: Claimant): ReadonlySet<string> {
    const { source, sourceId, marks, own, others, askedId } = claimant;
    const wanted = new Map<string, HostClaim>();
    const want = (claim: HostClaim) => wanted.set(claimKey(claim), claim);
    for (const host of others) {
      want({ source, sourceId, hostId: host.id, marks, isById: host.id === askedId });
      const theirs = host.status?.source;
      if (own !== undefined && theirs !== undefined) {
        want({ source: theirs.name, sourceId: theirs.id, hostId: own.id, marks: marksOf(host.spec), isById: false });
      }
    }
    const changed = new Set<string>();
    for (const [key, claim] of this.#claims) {
      const isOld = claim.source === source && claim.sourceId === sourceId;
      const isOnOwn = own !== undefined && claim.hostId === own.id;
      if (wanted.has(key) || !(isOld || isOnOwn)) continue;
      // What somebody else says of the own host stands while the host answers to it.
      if (!isOld && claim.source !== source && own !== undefined && claimedBy(claim, own) !== undefined) continue;
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

  drop(isDropped: (claim: HostClaim) => boolean): void {
    for (const [key, claim] of this.#claims) if (isDropped(claim)) this.#claims.delete(key);
  }

  /** The host with the condition that the claims on it ask for; the same object when it is so already. */
  judge(host: Host, nowMs: number): Host {
    // One that goes away is nobody's to dispute.
    if (host.metadata?.deletionTimestamp !== undefined) return host;
    return withSourceConflict(
      host,
      [...this.#claims.values()].filter(({ hostId }) => hostId === host.id),
      nowMs,
    );
  }

  /** What is to be written. */
  changes(): { readonly put: readonly HostClaim[]; readonly dropped: readonly HostClaim[] } {
    return {
      put: [...this.#claims].filter(([key, claim]) => !same(this.#stored.get(key), claim)).map(([, claim]) => claim),
      dropped: [...this.#stored].filter(([key]) => !this.#claims.has(key)).map(([, claim]) => claim),
    };
  }
}

const same = (one: HostClaim | undefined, other: HostClaim): boolean => one !== undefined && isSameClaim(one, other);
