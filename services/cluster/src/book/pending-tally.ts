import { groupKey } from '../placement/card-offer.ts';
import type { Plan } from '../placement/plan.ts';
import type { CardGroup } from '../placement/stock-facts.ts';

interface Amount {
  /** cpu, memory, ephemeral-storage, pods, `gpu/<group>`, `storage/<class>`, ports, leased-ips. */
  readonly resource: string;
  amount: number;
}

interface Sum {
  count: number;
  readonly amounts: Map<string, Amount>; // resource -> amount
}

/** What pending reservations are promised, altogether and by owner. */
export class PendingTally {
  readonly #all: Sum = { count: 0, amounts: new Map() };
  readonly #byOwner = new Map<string, Sum>(); // owner -> sum
  #last: { readonly plan: Plan; readonly amounts: readonly Amount[] } | undefined;

  add(owner: string, plan: Plan): void {
    this.#change(owner, plan, 1);
  }

  remove(owner: string, plan: Plan): void {
    this.#change(owner, plan, -1);
  }

  /** What the plan promises, each resource once. Asked for when it is judged, and again as soon as it is entered. */
  promisedBy(plan: Plan): readonly Readonly<Amount>[] {
    if (this.#last?.plan !== plan) this.#last = { plan, amounts: promisedBy(plan) };
    return this.#last.amounts;
  }

  /** Of all owners. */
  get count(): number {
    return this.#all.count;
  }

  countOf(owner: string): number {
    return this.#byOwner.get(owner)?.count ?? 0;
  }

  /** Of all owners where none is given. */
  amount(resource: string, owner?: string): number {
    const sum = owner === undefined ? this.#all : this.#byOwner.get(owner);
    return sum?.amounts.get(resource)?.amount ?? 0;
  }

  #change(owner: string, plan: Plan, sign: 1 | -1): void {
    const known = this.#byOwner.get(owner);
    const own = known ?? { count: 0, amounts: new Map<string, Amount>() };
    this.#all.count += sign;
    own.count += sign;
    for (const { resource, amount } of this.promisedBy(plan)) {
      addTo(this.#all, resource, sign * amount);
      addTo(own, resource, sign * amount);
    }
    if (own.count === 0) this.#byOwner.delete(owner);
    else if (known === undefined) this.#byOwner.set(owner, own);
  }
}

function addTo({ amounts }: Sum, resource: string, amount: number): void {
  const sum = amounts.get(resource);
  if (sum === undefined) amounts.set(resource, { resource, amount });
  else sum.amount += amount;
}

/** Made once of each group: text that is put together anew costs more than all the sums. */
const resources = new WeakMap<CardGroup, string>();

function resourceOf(group: CardGroup): string {
  let resource = resources.get(group);
  if (resource === undefined) resources.set(group, (resource = `gpu/${groupKey(group)}`));
  return resource;
}

/** Cards of which only the device plugin knows what they will be count for each group that they may be of. */
function promisedBy(plan: Plan): readonly Amount[] {
  // They are so few that a look at each costs less than a map.
  const amounts: Amount[] = [];
  const add = (resource: string, amount: number): void => {
    if (amount <= 0) return;
    for (const each of amounts) {
      if (each.resource !== resource) continue;
      each.amount += amount;
      return;
    }
    amounts.push({ resource, amount });
  };
  for (const { cpuMillis, memoryBytes, ephemeralBytes, volumes, replicas } of plan.units) {
    add('cpu', cpuMillis * replicas.length);
    add('memory', memoryBytes * replicas.length);
    add('ephemeral-storage', ephemeralBytes * replicas.length);
    add('pods', replicas.length);
    for (const { class: name, bytes } of volumes) add(`storage/${name}`, bytes * replicas.length);
    for (const { cards } of replicas) for (const group of cards?.groups ?? []) add(resourceOf(group), cards?.count ?? 0);
  }
  add('ports', plan.ports);
  add('leased-ips', plan.ips);
  return amounts;
}
