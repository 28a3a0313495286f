import type { ObservedDevice } from '../model/observed.ts';
import { sortedByName } from '../model/sorted-by-name.ts';
import { type ClaimView, type CompletePools, observeDevices } from './observe-devices.ts';
import type { SliceView } from './observe-slice.ts';

/** What is known of one pool. */
interface Pool {
  readonly slices: Map<string, SliceView>; // name -> slice
  readonly claims: Map<string, ClaimView>; // namespace and name -> claim that has a device of it
  readonly complete: CompletePools;
  devices: ReadonlyMap<string, readonly ObservedDevice[]>; // node -> its devices of this pool
}

/** The devices of all nodes, one slice or claim at a time: each costs what there is in its own pools, however many others there are. */
export class DevicePools {
  readonly #pools = new Map<string, Pool>(); // driver and pool -> pool
  readonly #poolsOfSlice = new Map<string, readonly string[]>(); // name -> its pool
  readonly #poolsOfClaim = new Map<string, readonly string[]>(); // namespace and name -> pools
  readonly #poolsOnNode = new Map<string, Set<string>>(); // node -> pools with devices on it
  readonly #changed = new Set<string>(); // pools

  /** Undefined: it is gone; `setClaim` alike. */
  setSlice(key: string, slice: SliceView | undefined): void {
    const pools = slice === undefined ? [] : [poolKey(slice.spec.driver, slice.spec.pool.name)];
    this.#place(this.#poolsOfSlice, key, pools, ({ slices }, isIn) => put(slices, key, isIn ? slice : undefined));
  }

  setClaim(key: string, claim: ClaimView | undefined): void {
    const results = claim?.status?.allocation?.devices?.results ?? [];
    const pools = results.map(({ driver, pool }) => poolKey(driver, pool));
    this.#place(this.#poolsOfClaim, key, pools, ({ claims }, isIn) => put(claims, key, isIn ? claim : undefined));
  }

  /** As if something had happened to every pool. */
  changeAll(): void {
    for (const key of this.#pools.keys()) this.#changed.add(key);
  }

  /**
   * Of each node that has, or had, devices of pools to which something happened since the last call: node -> all of its devices. What takes in a pool is done by
   * `taking`; one that fails has no devices.
   */
  take(taking: (pool: string, take: () => void) => void): ReadonlyMap<string, readonly ObservedDevice[]> {
    const nodes = new Set([...this.#changed].flatMap((key) => this.#observe(key, taking)));
    this.#changed.clear();
    return new Map(Array.from(nodes, (node) => [node, this.#devicesOn(node)]));
  }

  #place(placed: Map<string, readonly string[]>, key: string, pools: readonly string[], place: (pool: Pool, isIn: boolean) => void): void {
    const concerned = new Set([...(placed.get(key) ?? []), ...pools]);
    put(placed, key, pools.length === 0 ? undefined : pools);
    for (const name of concerned) {
      const pool = this.#pools.get(name) ?? { slices: new Map(), claims: new Map(), complete: new Map(), devices: new Map() };
      this.#pools.set(name, pool);
      this.#changed.add(name);
      place(pool, pools.includes(name));
    }
  }

  /** The nodes on which the pool has or had devices. */
  #observe(key: string, taking: Parameters<DevicePools['take']>[0]): readonly string[] {
    const pool = this.#pools.get(key);
    if (pool === undefined) return [];
    const before = pool.devices;
    pool.devices = new Map();
    taking(key, () => {
      pool.devices = observeDevices(inOrder(pool.slices), inOrder(pool.claims), pool.complete);
    });
    if (pool.slices.size + pool.claims.size === 0) this.#pools.delete(key);
    for (const node of before.keys()) if (!pool.devices.has(node)) this.#poolsOnNode.get(node)?.delete(key);
    for (const node of pool.devices.keys()) this.#poolsOnNode.set(node, (this.#poolsOnNode.get(node) ?? new Set()).add(key));
    return [...before.keys(), ...pool.devices.keys()];
  }

  #devicesOn(node: string): readonly ObservedDevice[] {
    const keys = this.#poolsOnNode.get(node);
    if (keys === undefined || keys.size === 0) {
      this.#poolsOnNode.delete(node);
      return [];
    }
    return sortedByName([...keys], (key) => key).flatMap((key) => this.#pools.get(key)?.devices.get(node) ?? []);
  }
}

const poolKey = (driver: string, pool: string): string => `${driver}/${pool}`;

function put<T>(map: Map<string, T>, key: string, value: T | undefined): void {
  if (value === undefined) map.delete(key);
  else map.set(key, value);
}

/** By their names: what came first does not matter. */
function inOrder<T>(values: ReadonlyMap<string, T>): readonly T[] {
  return sortedByName([...values], ([key]) => key).map(([, value]) => value);
}
