import { type HostnameClaim, hostnameClaimType } from '@quartermaster/api/hostname-claim';
import type { Cache, CacheOpener } from '@quartermaster/kube';
import { isOlder } from '../model/object-version.ts';
import { type Claim, claimName, isWildcard, parentOf, readClaim } from './claim.ts';

/** A watch that is behind by more deletions than this shows some of them again, until it has caught up. */
const keptUids = 10_000;

/** All claims as the API server has them, with what this process has written at once. A late event or a late answer brings nothing back. */
export class ClaimView {
  readonly cache: Cache<Claim>;
  readonly #claims = new Map<string, Claim>(); // name of the object -> claim
  readonly #byLease = new Map<string, Set<string>>(); // lease -> names of objects
  readonly #byOwner = new Map<string, Set<string>>(); // owner -> names of objects, of those that the provider did not give
  readonly #byParent = new Map<string, Set<string>>(); // parent domain -> names of objects
  readonly #answers = new Map<string, Claim>(); // name of the object -> answer that the watch has not caught up with
  /** UIDs, the oldest first. */
  readonly #gone = new Set<string>();

  constructor(caches: CacheOpener) {
    this.cache = caches.open({ type: hostnameClaimType, project: readClaim });
    this.cache.subscribe({
      added: ({ value }) => this.#observe(value),
      updated: ({ value }) => this.#observe(value),
      deleted: ({ key, uid }) => this.removed(key, uid),
    });
  }

  get(name: string): Claim | undefined {
    return this.#claims.get(name);
  }

  all(): IterableIterator<Claim> {
    return this.#claims.values();
  }

  ofLease(lease: string): readonly Claim[] {
    return this.#named(this.#byLease.get(lease));
  }

  /** How many names an account keeps from others: what the provider gave, nobody else could have. */
  countOf(owner: string): number {
    return this.#byOwner.get(owner)?.size ?? 0;
  }

  /** The wildcard and the names of one label. */
  below(parent: string): readonly Claim[] {
    return this.#named(this.#byParent.get(parent));
  }

  /** What decides with the name: of a wildcard all that is below its parent, of a name the wildcard. */
  beside(hostname: string): readonly Claim[] {
    const parent = parentOf(hostname);
    if (isWildcard(hostname)) return this.below(parent);
    const wildcard = this.get(claimName(`*.${parent}`));
    return wildcard === undefined ? [] : [wildcard];
  }

  isHeld(hostname: string, lease: string): boolean {
    const claim = this.get(claimName(hostname));
    return claim?.state === 'Held' && claim.lease === lease;
  }

  /** An answer of the server. */
  wrote(object: HostnameClaim): Claim {
    const answer = readClaim(object);
    const known = this.#claims.get(answer.name);
    if (this.#gone.has(answer.uid) || (known !== undefined && isOlder(answer, known))) return answer;
    this.#answers.set(answer.name, answer);
    this.#set(answer);
    const seen = this.cache.get(answer.name);
    if (seen !== undefined) this.#observe(seen.value);
    return answer;
  }

  removed(name: string, uid: string): void {
    this.#gone.add(uid);
    const [oldest] = this.#gone;
    if (this.#gone.size > keptUids && oldest !== undefined) this.#gone.delete(oldest);
    if (this.#answers.get(name)?.uid === uid) this.#answers.delete(name);
    if (this.#claims.get(name)?.uid === uid) this.#unset(name);
  }

  /** All that there was, as the quorum has it: a watch may be behind what a former leader wrote. */
  listed(objects: readonly HostnameClaim[], resourceVersion: string): void {
    // A server that was restored from a backup may have brought something back.
    this.#gone.clear();
    const names = new Set(objects.map(({ metadata }) => metadata?.name));
    for (const claim of [...this.#claims.values()])
      if (!names.has(claim.name) && !isOlder({ resourceVersion }, claim)) this.removed(claim.name, claim.uid);
    for (const object of objects) if (isReadable(object)) this.wrote(object);
  }

  #observe(seen: Claim): void {
    if (this.#gone.has(seen.uid)) return;
    const answer = this.#answers.get(seen.name);
    if (answer !== undefined && isOlder(seen, answer)) return;
    this.#answers.delete(seen.name);
    this.#set(seen);
  }

  #set(claim: Claim): void {
    this.#unset(claim.name);
    this.#claims.set(claim.name, claim);
    if (claim.state === 'Parent') return;
    if (claim.lease !== '') add(this.#byLease, claim.lease, claim.name);
    if (!claim.isStatic) add(this.#byOwner, claim.owner, claim.name);
    add(this.#byParent, parentOf(claim.hostname), claim.name);
  }

  #unset(name: string): void {
    const before = this.#claims.get(name);
    if (before === undefined) return;
    this.#claims.delete(name);
    remove(this.#byLease, before.lease, name);
    remove(this.#byOwner, before.owner, name);
    if (before.state !== 'Parent') remove(this.#byParent, parentOf(before.hostname), name);
  }

  #named(names: ReadonlySet<string> | undefined): readonly Claim[] {
    return [...(names ?? [])].flatMap((name) => this.#claims.get(name) ?? []);
  }
}

function isReadable(object: HostnameClaim): boolean {
  try {
    readClaim(object);
    return true;
  } catch {
    return false;
  }
}

function add(index: Map<string, Set<string>>, key: string, name: string): void {
  const names = index.get(key);
  if (names === undefined) index.set(key, new Set([name]));
  else names.add(name);
}

function remove(index: Map<string, Set<string>>, key: string, name: string): void {
  const names = index.get(key);
  names?.delete(name);
  if (names?.size === 0) index.delete(key);
}
