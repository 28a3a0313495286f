import type { Completeness } from '@quartermaster/api/inventory';
import type { InventoryChange, NodeFigures } from '../model/inventory-change.ts';
import type { SilentSource } from './freshness.ts';

/** Sources whose objects are nodes: one that is left out of them counts as it last was, which nothing new may be promised by. */
const nodeSources: ReadonlySet<string> = new Set(['nodes', 'node-views', 'sellability']);

/** Holds back nodes that the inventory says it could not read, until it could. */
export class LeftOutNodes {
  #reasons: ReadonlyMap<string, string> = new Map(); // node -> why
  readonly #told = new Map<string, NodeFigures>(); // node that is held back -> as the inventory tells of it
  #unnamed: readonly SilentSource[] = [];

  /** Sources of which more are left out than are named: then it may be any node. */
  silent(): readonly SilentSource[] {
    return this.#unnamed;
  }

  /** The change, and what changes by what is left out now. `known` is what was told before. */
  apply(
    change: InventoryChange,
    completeness: Completeness | undefined,
    known: (name: string) => NodeFigures | undefined,
  ): InventoryChange {
    const before = this.#reasons;
    this.#hear(completeness);
    const told = new Set(change.nodes.map(({ facts }) => facts.name));
    const removed = new Set(change.removedNodes);
    const others = change.kind === 'whole' ? [] : [...new Set([...before.keys(), ...this.#reasons.keys()])];
    const again = others.filter((name) => before.get(name) !== this.#reasons.get(name) && !told.has(name) && !removed.has(name));
    const nodes = [...change.nodes, ...again.flatMap((name) => this.#told.get(name) ?? known(name) ?? [])];
    if (change.kind === 'whole') this.#told.clear();
    for (const name of removed) this.#told.delete(name);
    return { ...change, nodes: nodes.map((figures) => this.#heldBack(figures)) };
  }

  #hear(completeness: Completeness | undefined): void {
    const leftOut = (completeness?.leftOut ?? []).filter(({ source }) => nodeSources.has(source));
    this.#reasons = new Map(leftOut.flatMap(({ named }) => named.map(({ name, reason }) => [name, reason])));
    this.#unnamed = leftOut
      .filter(({ count, named }) => count > named.length)
      .map(({ source }) => ({ source: `some ${source}`, lastHeardAt: undefined }));
  }

  #heldBack(figures: NodeFigures): NodeFigures {
    const { name, heldBack } = figures.facts;
    const why = this.#reasons.get(name);
    if (why === undefined) {
      this.#told.delete(name);
      return figures;
    }
    this.#told.set(name, figures);
    const reason = { code: 'NodeLeftOut', message: `the inventory could not read it, and has it as it last was: ${why}` };
    return { ...figures, facts: { ...figures.facts, heldBack: [...heldBack, reason] } };
  }
}
