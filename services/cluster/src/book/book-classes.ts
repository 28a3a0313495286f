import type { ClassFigures, InventoryChange } from '../model/inventory-change.ts';
import type { Plan } from '../placement/plan.ts';
import type { Stock } from '../placement/stock.ts';
import type { HeldPlaces } from './held-places.ts';
import { LastKnownClasses } from './last-known-classes.ts';
import { NameIndex } from './name-index.ts';
import { reliedOnClass } from './plan-problems.ts';

/** The storage classes of a book, as they are told. The stock has them with what is known of those that nobody tells of. */
export class BookClasses {
  readonly #stock: Stock;
  readonly #places: HeldPlaces;
  readonly #nodes: ReadonlyMap<string, unknown>;
  readonly #figures = new Map<string, ClassFigures>(); // name -> storage class
  readonly #known = new LastKnownClasses();
  readonly #planned = new NameIndex(); // class, and class/node -> reservations with volumes there

  /** The nodes are those that there are at any time, by name. */
  constructor(stock: Stock, places: HeldPlaces, nodes: ReadonlyMap<string, unknown>) {
    this.#stock = stock;
    this.#places = places;
    this.#nodes = nodes;
  }

  get all(): ReadonlyMap<string, ClassFigures> {
    return this.#figures;
  }

  /** After its nodes. Answers who holds something of classes that plans may have become possible or impossible with. */
  take({ classes }: Pick<InventoryChange, 'classes'>, goneClasses: readonly string[], newNodes: readonly string[]): readonly string[] {
    const before = new Map(this.#figures);
    for (const name of goneClasses) this.#figures.delete(name);
    for (const figures of classes) this.#figures.set(figures.facts.name, figures);
    const told = { classes: classes.map(({ facts }) => facts), goneClasses, newNodes };
    const isPlanned = (name: string, node?: string): boolean => this.#planned.of(node === undefined ? name : `${name}/${node}`).size > 0;
    const concerned = this.#known.take(told, isPlanned);
    this.#refresh(concerned);
    return [...concerned]
      .filter((name) => reliedOnClass(before.get(name)?.facts) !== reliedOnClass(this.#figures.get(name)?.facts))
      .flatMap((name) => [...this.#places.ofClass(name)]);
  }

  /** In place of the plan that the reservation had. */
  setPlan(reservation: string, before: Plan | undefined, plan: Plan | undefined): void {
    for (const key of placesOf(before)) this.#planned.remove(key, reservation);
    for (const key of placesOf(plan)) this.#planned.add(key, reservation);
    if (plan !== undefined) this.#refresh(this.#known.learn(plan));
  }

  #refresh(names: Iterable<string>): void {
    for (const name of names) {
      const facts = this.#known.facts(name, this.#nodes.keys());
      this.#places.classChanged(name);
      if (facts === undefined) this.#stock.removeClass(name);
      else this.#stock.setClass(facts);
      this.#places.classChanged(name);
    }
  }
}

const placesOf = (plan: Plan | undefined): readonly string[] =>
  (plan?.units ?? []).flatMap(({ volumes, replicas }) =>
    volumes.flatMap(({ class: name }) => [name, ...replicas.map(({ node }) => `${name}/${node}`)]),
  );
