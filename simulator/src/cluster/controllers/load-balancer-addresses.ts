import { AddressPool, addressRange, ipv4ToNumber, numberToIpv4 } from './address-pool.ts';

/** What decides about the address of a Service. */
export interface AddressUser {
  /** Services of one key may have one address. */
  readonly sharingKey: string | undefined;
  /** `80/TCP` */
  readonly ports: readonly string[];
}

export interface AddressWish extends AddressUser {
  /** Otherwise the first one. */
  readonly pool?: string | undefined;
  /** This one and no other. */
  readonly address?: string | undefined;
}

/** Which Services have which addresses. Several have the same one where all of them name one key, and no two of them have one port. */
export class LoadBalancerAddresses {
  readonly #pools: ReadonlyMap<string, readonly AddressPool[]>; // name -> ranges
  readonly #users = new Map<number, Map<string, AddressUser>>(); // address -> key of the Service -> what it has there

  constructor(pools: ReadonlyMap<string, readonly string[]>) {
    this.#pools = new Map(
      [...pools].map(([name, ranges]) => [name, ranges.map(addressRange).map(({ first, last }) => new AddressPool(first, last))]),
    );
  }

  /** What it has, and nothing else. */
  keep(service: string, address: string, { sharingKey, ports }: AddressUser): void {
    const number = ipv4ToNumber(address);
    this.release(service, number);
    this.#users.set(number, (this.#users.get(number) ?? new Map<string, AddressUser>()).set(service, { sharingKey, ports }));
    for (const pool of this.#all()) pool.keep(number, service);
  }

  release(service: string, but?: number): void {
    for (const [number, users] of this.#users) {
      if (number === but || !users.delete(service) || users.size > 0) continue;
      this.#users.delete(number);
      for (const pool of this.#all()) pool.release(number);
    }
  }

  of(service: string): string | undefined {
    const found = [...this.#users].find(([, users]) => users.has(service));
    return found && numberToIpv4(found[0]);
  }

  /** Undefined while somebody else has what is wished for. Throws `unavailable` where any would do and there is none. */
  give(service: string, wish: AddressWish): string | undefined {
    const number = wish.address === undefined ? this.#any(service, wish) : this.#asked(ipv4ToNumber(wish.address), wish);
    if (number === undefined) return undefined;
    const address = numberToIpv4(number);
    this.keep(service, address, wish);
    return address;
  }

  #asked(number: number, wish: AddressWish): number | undefined {
    return this.#all().some((pool) => pool.has(number)) && this.#mayUse(number, wish) ? number : undefined;
  }

  #any(service: string, wish: AddressWish): number | undefined {
    for (const [number, { size }] of this.#users) if (size > 0 && this.#mayUse(number, wish)) return number;
    const [pool] = wish.pool === undefined ? this.#all() : (this.#pools.get(wish.pool) ?? []);
    return pool?.take(service);
  }

  #mayUse(number: number, { sharingKey, ports }: AddressUser): boolean {
    return [...(this.#users.get(number)?.values() ?? [])].every(
      (user) => sharingKey !== undefined && user.sharingKey === sharingKey && !user.ports.some((port) => ports.includes(port)),
    );
  }

  #all(): readonly AddressPool[] {
    return [...this.#pools.values()].flat();
  }
}
