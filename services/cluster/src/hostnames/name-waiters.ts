import { type Claim, claimName, isWildcard, parentName, parentOf } from './claim.ts';

/** Which leases of this process did not get a name, so that they are woken when it may be theirs. A new process asks for all of them again. */
export class NameWaiters {
  readonly #waiting = new Map<string, ReadonlySet<string>>(); // lease -> names of objects that it waits for
  readonly #leases = new Map<string, Set<string>>(); // name of an object -> leases

  /** Instead of those that it waited for before. */
  set(lease: string, hostnames: readonly string[]): void {
    for (const name of this.#waiting.get(lease) ?? []) {
      const leases = this.#leases.get(name);
      leases?.delete(lease);
      if (leases?.size === 0) this.#leases.delete(name);
    }
    const names = new Set(hostnames.flatMap(awaited));
    if (names.size === 0) this.#waiting.delete(lease);
    else this.#waiting.set(lease, names);
    for (const name of names) {
      const leases = this.#leases.get(name);
      if (leases === undefined) this.#leases.set(name, new Set([lease]));
      else leases.add(lease);
    }
  }

  isWaiting(lease: string, hostname: string): boolean {
    return this.#waiting.get(lease)?.has(claimName(hostname)) ?? false;
  }

  /** The leases for which a change of this claim may matter. */
  wokenBy({ name, hostname }: Pick<Claim, 'name' | 'hostname'>): readonly string[] {
    return [name, parentName(parentOf(hostname))].flatMap((key) => [...(this.#leases.get(key) ?? [])]);
  }
}

/** A wildcard waits for all that is below its parent, a name for itself and for the wildcard. */
function awaited(hostname: string): readonly string[] {
  const parent = parentOf(hostname);
  return [claimName(hostname), isWildcard(hostname) ? parentName(parent) : claimName(`*.${parent}`)];
}
