import type { LeaseVolume } from '../model/snapshot.ts';
import type { ObservedNamespace } from '../observe/observe-namespace.ts';
import type { VolumeLedger } from './querier/volume-ledger.ts';

/** What tells whose a claim is. */
export interface ClaimIdentity {
  readonly namespace: string;
  readonly name: string;
  /** Whether its own labels say so. */
  readonly isOfLease: boolean;
}

/** Class -> place of volumes -> node, as a reading counts them; undefined for a place that it does not count. */
export type CountedPlaces = ReadonlyMap<string, ReadonlyMap<string, string | undefined>>;

/**
 * Knows which claims are of leases, and of which something may have changed since somebody last asked: the claim, its volume, its namespace, or how its class
 * counts. A record is made when it is asked for, of what the volume ledger and the classes say at that moment.
 */
export class LeaseVolumes {
  readonly #promiseOf: VolumeLedger['promiseOf'];
  readonly #claims = new Map<string, ClaimIdentity>(); // uid -> claim, of a lease or not
  readonly #byNamespace = new Map<string, Set<string>>(); // namespace -> uids of its claims
  readonly #namespaces = new Map<string, ObservedNamespace>();
  readonly #changed = new Set<string>(); // uids
  #counted: CountedPlaces = new Map();

  constructor(promiseOf: VolumeLedger['promiseOf']) {
    this.#promiseOf = promiseOf;
  }

  setClaim(uid: string, claim: ClaimIdentity): void {
    this.touch(uid);
    this.#claims.set(uid, claim);
    const known = this.#byNamespace.get(claim.namespace) ?? new Set();
    this.#byNamespace.set(claim.namespace, known.add(uid));
    this.touch(uid);
  }

  removeClaim(uid: string): void {
    const claim = this.#claims.get(uid);
    if (claim === undefined) return;
    this.touch(uid);
    this.#claims.delete(uid);
    const known = this.#byNamespace.get(claim.namespace);
    known?.delete(uid);
    if (known?.size === 0) this.#byNamespace.delete(claim.namespace);
  }

  /** Undefined once there is no namespace of that name. */
  setNamespace(name: string, namespace: ObservedNamespace | undefined): void {
    const before = this.#namespaces.get(name);
    if (before?.uid === namespace?.uid && before?.isOfLease === namespace?.isOfLease) return;
    const claims = this.#byNamespace.get(name) ?? [];
    for (const uid of claims) this.touch(uid);
    if (namespace === undefined) this.#namespaces.delete(name);
    else this.#namespaces.set(name, namespace);
    for (const uid of claims) this.touch(uid);
  }

  /** What counts for a claim may be something else. */
  touch(uid: string): void {
    const claim = this.#claims.get(uid);
    if (claim !== undefined && this.#isOfLease(claim)) this.#changed.add(uid);
  }

  /** How classes count now. Claims of places that are new were touched when they came there. */
  setCounted(counted: CountedPlaces): void {
    const before = this.#counted;
    this.#counted = counted;
    const classes = [...new Set([...before.keys(), ...counted.keys()])].filter((name) => hasMoved(before.get(name), counted.get(name)));
    if (classes.length === 0) return;
    for (const uid of this.#claims.keys()) if (classes.includes(this.#promiseOf(uid)?.class ?? '')) this.touch(uid);
  }

  get hasChanged(): boolean {
    return this.#changed.size > 0;
  }

  /** The uids of claims whose record may be another one, or gone, since the last call. */
  take(): readonly string[] {
    const changed = [...this.#changed];
    this.#changed.clear();
    return changed;
  }

  /** Undefined for a claim that is of no lease, or that its class does not count. */
  get(uid: string): LeaseVolume | undefined {
    const claim = this.#claims.get(uid);
    if (claim === undefined || !this.#isOfLease(claim)) return undefined;
    const promise = this.#promiseOf(uid);
    const node = promise && this.#counted.get(promise.class)?.get(promise.place);
    if (promise === undefined || node === undefined) return undefined;
    const { namespace, name } = claim;
    const { class: className, bytes, requestedBytes } = promise;
    return { uid, namespace, namespaceUid: this.#namespaces.get(namespace)?.uid, name, class: className, bytes, requestedBytes, node };
  }

  #isOfLease({ namespace, isOfLease }: ClaimIdentity): boolean {
    return isOfLease || this.#namespaces.get(namespace)?.isOfLease === true;
  }
}

type Places = ReadonlyMap<string, string | undefined>;

/** Whether a place that was there counts otherwise; any that counts does when the class comes or goes. */
function hasMoved(before: Places | undefined, now: Places | undefined): boolean {
  if (before === undefined || now === undefined) return [...(before ?? now ?? new Map()).values()].some((node) => node !== undefined);
  return [...now].some(([place, node]) => before.has(place) && before.get(place) !== node);
}
