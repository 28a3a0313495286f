import type { Holds } from '../placement/holds.ts';
import type { Stock } from '../placement/stock.ts';
import type { ClassFacts } from '../placement/stock-facts.ts';
import { isLocal } from '../placement/storage-classes.ts';
import { NameIndex } from './name-index.ts';
import { heldOf, type Shortage, shortagesOnNode, wideRoom } from './shortages.ts';

/** A place where more is promised than there is. */
export interface Overdrawn {
  /** Wall clock, milliseconds. */
  readonly since: number;
  readonly shortages: readonly Shortage[];
}

const nodePlace = (name: string): string => `node/${name}`;
const classPlace = (name: string): string => `storage/${name}`;
const nameIn = (place: string): string => place.slice(place.indexOf('/') + 1);
const ports = 'ports';
const ips = 'leased-ips';

/**
 * Which reservation holds something where, and where that is more than there is. A place is `node/<name>`, `storage/<class>`, `ports` or `leased-ips`. Only places
 * that were touched are looked at again.
 */
export class HeldPlaces {
  readonly #stock: Stock;
  readonly #onNodes = new NameIndex(); // node -> reservations
  readonly #holders = new NameIndex(); // any other place -> reservations
  readonly #overdrawn = new Map<string, Overdrawn>(); // place -> what is missing there
  /** Most promises are of one node: the first that was touched needs no set. */
  #touchedNode: string | undefined;
  readonly #touchedNodes = new Set<string>();
  readonly #touched = new Set<string>(); // places that are no nodes
  /** Undefined until it is asked for. */
  #overCommitted: readonly string[] | undefined;

  constructor(stock: Stock) {
    this.#stock = stock;
  }

  /** What a reservation holds from now on; nothing if undefined. */
  hold(name: string, holds: Holds | undefined): void {
    const before = this.#stock.holdsOf(name);
    if (holds === undefined) this.#stock.release(name);
    else this.#stock.hold(name, holds);
    if (before !== undefined) this.#list(name, before, 'remove');
    if (holds !== undefined) this.#list(name, holds, 'add');
  }

  /** Those that hold something of the node. */
  onNode(name: string): ReadonlySet<string> {
    return this.#onNodes.of(name);
  }

  ofClass(name: string): ReadonlySet<string> {
    return this.#holders.of(classPlace(name));
  }

  nodeChanged(name: string): void {
    this.#touchNode(name);
  }

  /** Must be told before and after: which classes share its space may change with it. */
  classChanged(name: string): void {
    this.#touch(classPlace(name));
    for (const facts of this.#spaceOf(name)) if (isLocal(facts)) this.#touchNodesWith(facts.name);
  }

  poolsChanged(): void {
    this.#touch(ports);
    this.#touch(ips);
  }

  /** Looks at what was touched since the last time. */
  review(at: number): void {
    if (this.#touchedNode !== undefined) {
      this.#overCommitted = undefined;
      this.#note(nodePlace, this.#touchedNode, this.#shortagesOn(this.#touchedNode), at);
      this.#touchedNode = undefined;
    }
    if (this.#touchedNodes.size > 0) {
      for (const name of this.#touchedNodes) this.#note(nodePlace, name, this.#shortagesOn(name), at);
      this.#touchedNodes.clear();
    }
    if (this.#touched.size > 0) {
      this.#overCommitted = undefined;
      for (const place of this.#touched) this.#note(asIs, place, this.#shortagesIn(place), at);
      this.#touched.clear();
    }
  }

  get overdrawn(): ReadonlyMap<string, Overdrawn> {
    return this.#overdrawn;
  }

  /** The overdrawn places where the reservation holds something of what is missing. */
  overdrawnBy(name: string): readonly (readonly [place: string, Overdrawn])[] {
    if (this.#overdrawn.size === 0) return [];
    return placesOf(this.#stock.holdsOf(name)).flatMap((place) => {
      const overdrawn = this.#overdrawn.get(place);
      return overdrawn !== undefined && this.#isConcerned(name, place, overdrawn) ? [[place, overdrawn] as const] : [];
    });
  }

  /** Everyone who holds something of what is missing, by name: those of whom `overdrawnBy` tells a place. */
  get overCommitted(): readonly string[] {
    this.#overCommitted ??= [
      ...new Set(
        [...this.#overdrawn].flatMap(([place, overdrawn]) =>
          [...this.#holdersOf(place)].filter((name) => this.#isConcerned(name, place, overdrawn)),
        ),
      ),
    ].toSorted();
    return this.#overCommitted;
  }

  /** Those in one overdrawn place, some of them more than once. Told one by one: there may be far more than anybody wants to know. */
  *concernedIn(place: string): Generator<string> {
    const overdrawn = this.#overdrawn.get(place);
    if (overdrawn === undefined) return;
    const among = place.startsWith('storage/') ? this.#spaceOf(nameIn(place)).map(({ name }) => classPlace(name)) : [place];
    for (const each of among) for (const name of this.#holdersOf(each)) if (this.#isConcerned(name, place, overdrawn)) yield name;
  }

  #isConcerned(name: string, place: string, { shortages }: Overdrawn): boolean {
    if (!place.startsWith('node/')) return true;
    const node = nameIn(place);
    const hold = this.#stock.holdsOf(name)?.nodes.get(node);
    return hold !== undefined && shortages.some(({ resource }) => heldOf(this.#stock, node, hold, resource) > 0);
  }

  #holdersOf(place: string): ReadonlySet<string> {
    return place.startsWith('node/') ? this.onNode(nameIn(place)) : this.#holders.of(place);
  }

  #list(name: string, holds: Holds, change: 'add' | 'remove'): void {
    for (const node of holds.nodes.keys()) {
      this.#onNodes[change](node, name);
      this.#touchNode(node);
    }
    for (const place of otherPlacesOf(holds)) {
      this.#holders[change](place, name);
      this.#touch(place);
    }
  }

  #touchNode(name: string): void {
    this.#addNode(name);
    this.#addWide();
  }

  /** With the classes that draw on the same bytes, and the nodes whose ephemeral storage they may be. */
  #touch(place: string): void {
    this.#touched.add(place);
    if (!place.startsWith('storage/')) return;
    for (const { name } of this.#spaceOf(nameIn(place))) this.#touched.add(classPlace(name));
    for (const node of this.#stock.storage.wideNodes(nameIn(place))) this.#addNode(node);
    this.#addWide();
  }

  #addNode(name: string): void {
    if (this.#touchedNode === undefined) this.#touchedNode = name;
    else if (this.#touchedNode !== name) this.#touchedNodes.add(name);
  }

  /** What one of them takes of a node the others lack there. */
  #addWide(): void {
    for (const { name } of this.#stock.storage.wideInEphemeral) this.#touched.add(classPlace(name));
  }

  /** Its place is only spelt out where something is missing, or was. */
  #note(placeOf: (name: string) => string, name: string, shortages: readonly Shortage[], at: number): void {
    if (shortages.length > 0) this.#overdrawn.set(placeOf(name), { since: this.#overdrawn.get(placeOf(name))?.since ?? at, shortages });
    else if (this.#overdrawn.size > 0) this.#overdrawn.delete(placeOf(name));
  }

  #touchNodesWith(className: string): void {
    for (const name of this.ofClass(className)) {
      for (const [node, { volumes }] of this.#stock.holdsOf(name)?.nodes ?? []) if (volumes.has(className)) this.#touchNode(node);
    }
  }

  #spaceOf(className: string): readonly ClassFacts[] {
    const facts = this.#stock.storage.get(className);
    return facts === undefined ? [] : this.#stock.storage.spaceOf(facts).classes;
  }

  #shortagesIn(place: string): readonly Shortage[] {
    const { freePorts, freeIps } = this.#stock;
    if (place === ports) return this.#shortage(place, freePorts, (holds) => holds.ports);
    if (place === ips) return this.#shortage(place, freeIps === 'unknown' ? 0 : freeIps, (holds) => holds.ips);
    const name = nameIn(place);
    return this.#shortage(place, wideRoom(this.#stock, name), (holds) => heldOfClass(holds, name));
  }

  #shortagesOn(name: string): readonly Shortage[] {
    const node = this.#stock.node(name);
    if (node === undefined || node.hasPlainRoom) return none;
    const holds = [...this.onNode(name)].flatMap((each) => this.#stock.holdsOf(each)?.nodes.get(name) ?? []);
    return shortagesOnNode(this.#stock, node, holds);
  }

  #shortage(place: string, room: number, of: (holds: Holds) => number): readonly Shortage[] {
    if (room >= 0) return [];
    let held = 0;
    for (const name of this.#holders.of(place)) {
      const holds = this.#stock.holdsOf(name);
      if (holds !== undefined) held += of(holds);
    }
    return held === 0 ? [] : [{ resource: place, missing: Math.min(-room, held) }];
  }
}

function heldOfClass(holds: Holds, name: string): number {
  let sum = 0;
  for (const { volumes } of holds.nodes.values()) sum += volumes.get(name) ?? 0;
  return sum;
}

function placesOf(holds: Holds | undefined): readonly string[] {
  return holds === undefined ? [] : [...[...holds.nodes.keys()].map(nodePlace), ...otherPlacesOf(holds)];
}

/** All but the nodes. */
function otherPlacesOf(holds: Holds): readonly string[] {
  let classes: Set<string> | undefined;
  for (const { volumes } of holds.nodes.values()) for (const name of volumes.keys()) (classes ??= new Set()).add(name);
  if (classes === undefined && holds.ports === 0 && holds.ips === 0) return noPlaces;
  return [...[...(classes ?? [])].map(classPlace), ...(holds.ports > 0 ? [ports] : []), ...(holds.ips > 0 ? [ips] : [])];
}

const none: readonly Shortage[] = [];
const noPlaces: readonly string[] = [];
const asIs = (place: string): string => place;
