import type { Plan, PlannedSpace } from '../placement/plan.ts';
import type { ClassFacts } from '../placement/stock-facts.ts';
import { copiesOf, copiesOnNode, freeByNode, isLocal, spacesOf, tells } from '../placement/storage-classes.ts';

/** What changed at one moment. */
export interface ToldClasses {
  readonly classes: readonly ClassFacts[];
  readonly goneClasses: readonly string[];
  /** Nodes that were not there before. */
  readonly newNodes: readonly string[];
}

/** Where the space is of a class that does not tell. */
interface Known {
  /** From when it last told. What plans say, which may have known less, does not count beside that. */
  readonly isTold: boolean;
  readonly isNodeLocal: boolean;
  readonly copies: number;
  readonly copiesOnNode: number;
  /** Classes that draw on other bytes. Of any other nobody can say. */
  readonly apart: ReadonlySet<string>;
  readonly ephemeralNodes: ReadonlySet<string>;
  /** Nodes that came since, if the space is the cluster's and in the ephemeral storage of some; `any` if only plans tell of it. */
  readonly maybeNodes: ReadonlySet<string> | 'any';
}

/**
 * Storage classes as they are told, and where the space of those is that do not tell, or are gone: the inventory then says neither how much is free nor what that is shared
 * with; of a node whose agent is silent likewise. What is promised of them goes on taking of it, so that other classes and ephemeral storage must not be sold beside it.
 * That is known from when they last told, else from the plans of the volumes. Where nobody can say whether two classes share space, they do until both tell.
 */
export class LastKnownClasses {
  readonly #told = new Map<string, ClassFacts>(); // name -> class; of a node-local one with the nodes in ephemeral storage whose agents are silent
  readonly #known = new Map<string, Known>(); // name of a class that does not tell -> what is known of it

  /** `isPlanned` says whether a plan has volumes of a class, on a node. Answers whose facts may be others now. */
  take({ classes, goneClasses, newNodes }: ToldClasses, isPlanned: (name: string, node?: string) => boolean): ReadonlySet<string> {
    const before = new Map(this.#told);
    const concerned = new Set([...goneClasses, ...classes.map(({ name }) => name)]);
    for (const name of goneClasses) this.#told.delete(name);
    for (const facts of classes)
      this.#told.set(facts.name, withSilentNodes(facts, [before.get(facts.name), this.#known.get(facts.name)], isPlanned));
    const isTelling = (from: ReadonlyMap<string, ClassFacts>, name: string): boolean => {
      const facts = from.get(name);
      return facts !== undefined && tells(facts);
    };
    const changed = [...concerned].filter((name) => isTelling(before, name) !== isTelling(this.#told, name));
    // Those that stop at the same moment still know of each other.
    const stopped = new Map(changed.filter((name) => isTelling(before, name)).map((name) => [name, this.#lastKnown(name, before)]));
    for (const name of changed) {
      const known = stopped.get(name);
      if (known === undefined) this.#known.delete(name);
      else this.#known.set(name, known);
    }
    for (const name of this.#known.keys()) {
      if (this.#told.has(name) || isPlanned(name)) continue;
      this.#known.delete(name);
      concerned.add(name);
    }
    for (const [name, known] of this.#known) {
      const { ephemeralNodes, maybeNodes, isNodeLocal } = known;
      if (newNodes.length > 0 && !isNodeLocal && ephemeralNodes.size > 0 && maybeNodes !== 'any')
        this.#known.set(name, { ...known, maybeNodes: new Set([...maybeNodes, ...newNodes.filter((node) => !ephemeralNodes.has(node))]) });
      if (newNodes.length > 0 || changed.length > 0) concerned.add(name);
    }
    return concerned;
  }

  /** Answers whose facts are others now. */
  learn({ units }: Plan): ReadonlySet<string> {
    const changed = new Set<string>();
    for (const { volumes } of units) {
      for (const { class: name, space = unsaid } of volumes) if (this.#learn(name, space)) changed.add(name);
    }
    return changed;
  }

  /** Undefined of one that is gone, and of which nothing is planned. */
  facts(name: string, nodes: Iterable<string>): ClassFacts | undefined {
    const told = this.#told.get(name);
    const known = this.#known.get(name);
    if (known === undefined) return told;
    const { isNodeLocal, copies, copiesOnNode: onNode, apart, ephemeralNodes, maybeNodes } = known;
    const others = [...this.#told.values()].filter((each) => tells(each) && isLocal(each) === isNodeLocal && !apart.has(each.name));
    return {
      ...(told ?? { name, isGone: true }),
      isNodeLocal,
      replicas: copies,
      replicasPerNode: onNode,
      sharesSpaceWith: others.map((each) => each.name),
      ephemeralNodes,
      maybeEphemeralNodes: new Set(maybeNodes === 'any' ? nodes : maybeNodes),
    };
  }

  #lastKnown(name: string, before: ReadonlyMap<string, ClassFacts>): Known {
    const facts = before.get(name) ?? { name };
    const telling = [...before.values()].filter(tells);
    const own = new Set(spacesOf(telling).get(name)?.classes);
    const apart = telling.flatMap((each) => (own.has(each) ? [] : each.name));
    const wereApart = [...this.#known].flatMap(([other, known]) => (known.apart.has(name) ? other : []));
    return {
      isTold: true,
      isNodeLocal: isLocal(facts),
      copies: copiesOf(facts),
      copiesOnNode: copiesOnNode(facts),
      apart: new Set([...apart, ...wereApart]),
      ephemeralNodes: facts.ephemeralNodes ?? noNames,
      maybeNodes: noNames,
    };
  }

  #learn(name: string, space: PlannedSpace): boolean {
    const told = this.#told.get(name);
    const nodes = space.ephemeralNodes === 'any' ? [] : space.ephemeralNodes;
    if (told !== undefined && tells(told)) {
      const now = isLocal(told) ? withEphemeral(told, nodes) : told;
      this.#told.set(name, now);
      return now !== told;
    }
    const before = this.#known.get(name);
    const now = before === undefined ? knownBy(space) : merged(before, space);
    this.#known.set(name, now);
    return now !== before;
  }
}

const noNames: ReadonlySet<string> = new Set();

/** Of a volume that an older service planned: it may be wherever a cluster-wide class may have it. */
const unsaid: PlannedSpace = { isNodeLocal: false, copies: 1, copiesOnNode: 1, apartFrom: [], ephemeralNodes: 'any' };

/** What is told of a node-local class, with the nodes of which it was known before that volumes lie in their ephemeral storage, and is not told now. */
function withSilentNodes(
  facts: ClassFacts,
  [told, known]: readonly [ClassFacts | undefined, Known | undefined],
  isPlanned: (name: string, node: string) => boolean,
): ClassFacts {
  if (!tells(facts) || !isLocal(facts)) return facts;
  const earlier = [
    ...(told !== undefined && isLocal(told) ? (told.ephemeralNodes ?? []) : []),
    ...(known?.isNodeLocal === true ? known.ephemeralNodes : []),
  ];
  return withEphemeral(
    facts,
    earlier.filter((node) => isPlanned(facts.name, node)),
  );
}

/** A node-local class with those of the nodes of which it does not tell. */
function withEphemeral(facts: ClassFacts, nodes: readonly string[]): ClassFacts {
  const { ephemeralNodes = noNames } = facts;
  const silent = nodes.filter((node) => !freeByNode(facts).has(node) && !ephemeralNodes.has(node));
  return silent.length === 0 ? facts : { ...facts, ephemeralNodes: new Set([...ephemeralNodes, ...silent]) };
}

function knownBy({ isNodeLocal, copies, copiesOnNode: onNode, apartFrom, ephemeralNodes }: PlannedSpace): Known {
  const isAnywhere = ephemeralNodes === 'any';
  return {
    isTold: false,
    isNodeLocal,
    copies,
    copiesOnNode: onNode,
    apart: new Set(apartFrom),
    ephemeralNodes: isAnywhere ? noNames : new Set(ephemeralNodes),
    maybeNodes: isAnywhere ? 'any' : noNames,
  };
}

/** What either says is taken: too little is sold rather than the same space twice. The same object where that is nothing new. */
function merged(known: Known, space: PlannedSpace): Known {
  const other = knownBy(space);
  const silent = known.isNodeLocal ? [...other.ephemeralNodes].filter((node) => !known.ephemeralNodes.has(node)) : [];
  const ephemeralNodes = silent.length === 0 ? known.ephemeralNodes : new Set([...known.ephemeralNodes, ...silent]);
  if (known.isTold) return silent.length === 0 ? known : { ...known, ephemeralNodes };
  const isMaybeAnywhere = other.maybeNodes === 'any' && known.maybeNodes !== 'any' && !known.isNodeLocal;
  const isNew =
    isMaybeAnywhere ||
    silent.length > 0 ||
    other.copies > known.copies ||
    other.copiesOnNode > known.copiesOnNode ||
    [...known.apart].some((name) => !other.apart.has(name));
  if (!isNew) return known;
  return {
    ...known,
    copies: Math.max(known.copies, other.copies),
    copiesOnNode: Math.max(known.copiesOnNode, other.copiesOnNode),
    apart: new Set([...known.apart].filter((name) => other.apart.has(name))),
    ephemeralNodes,
    maybeNodes: isMaybeAnywhere ? 'any' : known.maybeNodes,
  };
}
