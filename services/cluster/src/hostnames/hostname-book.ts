import type { LeaseId } from '../model/lease.ts';

/** A hostname that a service of a lease asks for. */
export interface WantedHostname {
  /** As the manifest has it, or as the provider made it. */
  readonly hostname: string;
  readonly service: string;
  readonly externalPort: number;
  /** The provider gives it, below its own domain. */
  readonly isStatic: boolean;
}

/** What became of one. Its name is in A-labels and lower case, where it is a hostname at all. */
export interface HostnameGrant extends WantedHostname {
  /** held: the lease has it. withheld: another lease of the same owner has it. refused: it may not have it. waiting: nobody knows yet. */
  readonly state: 'held' | 'withheld' | 'refused' | 'waiting';
  /** Why it does not have it, for the tenant. */
  readonly message: string;
  /** For programs: HostnameBlocked, HostnameTaken, HostnameCoolingDown, HostnameInvalid … */
  readonly code: string;
}

/** Who has which hostname, as the objects say. Reads are from caches, on every replica. */
export interface HostnameBook {
  /** What the lease would get now, without changing anything. `refused` in it refuses a manifest. */
  check(lease: LeaseId, wanted: readonly WantedHostname[]): readonly HostnameGrant[];
  /** What it has. */
  heldBy(leaseName: string): readonly WantedHostname[];
  /** The lease that has the name, by the name of its order; nobody while it is only being claimed. */
  holderOf(hostname: string): string | undefined;
  all(): readonly ClaimedName[];
}

export interface ClaimedName extends WantedHostname {
  readonly owner: string;
  /** By the name of its order; empty of a released one. */
  readonly lease: string;
  readonly state: 'Claiming' | 'Held' | 'Released';
  /** Wall clock, milliseconds. */
  readonly since: number;
}

/** The writes of one term: a claim is a create, a transfer a replace, each decided by the server. */
export interface HostnameClaims {
  /**
   * ReserveHostnames: claims what can be claimed. Names of another owner are refused, those of another lease of the same owner withheld. Idempotent; names that are held
   * already cost no write. Nothing that the lease has beyond `wanted` is given back here.
   */
  reserve(lease: LeaseId, wanted: readonly WantedHostname[], signal: AbortSignal): Promise<readonly HostnameGrant[]>;
  /** ReleaseHostnames: gives back what the lease has beyond `keep`. They stay its owner's for the cool-down. */
  release(lease: LeaseId, keep: readonly WantedHostname[], signal: AbortSignal): Promise<void>;
  /**
   * TransferHostname, from whichever lease of the same owner has it. Throws with the reason: `failed_precondition` where the lease may not have it, `aborted` where that is
   * not decided, so that it may be asked again.
   */
  transfer(to: LeaseId, wanted: WantedHostname, signal: AbortSignal): Promise<ClaimedName>;
  /** Forgets released names whose cool-down is over, and claims that nobody finished. */
  sweep(signal: AbortSignal): Promise<void>;
}
