import { type Availability, availability } from '../../book/availability.ts';
import type { ReservationBook } from '../../book/reservation-book.ts';
import { type ReservationTotals, totalsOf } from '../../book/reservation-totals.ts';
import type { NodeFigures } from '../../model/inventory-change.ts';
import { groupKey } from '../../placement/card-offer.ts';
import type { CardGroup } from '../../placement/stock-facts.ts';

/** What is sold of one thing, in millicores, bytes or pieces: `available` is what nobody has, and nobody was promised. */
export interface Share {
  readonly allocatable: number;
  readonly available: number;
}

/** A node that takes new work. */
export interface NodeShares {
  readonly name: string;
  readonly cpu: Share;
  readonly memory: Share;
  readonly ephemeral: Share;
  readonly cards: Share;
  /** One for each card; where they are not all alike, for each that nobody has, so that no model is shown more often than it is free. */
  readonly models: readonly CardGroup[];
  readonly storageClasses: readonly string[];
}

/** What everybody may know of the cluster: no names of owners, leases and machines. */
export interface ProviderFigures {
  /** Undefined before anything was heard of the inventory. */
  readonly cluster:
    | {
        readonly nodes: readonly NodeShares[];
        readonly classes: readonly { readonly name: string; readonly bytes: Share }[];
        /** Undefined while nobody says how many there are. */
        readonly ips: Share | undefined;
      }
    | undefined;
  readonly pending: ReservationTotals;
  readonly active: ReservationTotals;
}

/** Looks at every node and every reservation: it is not to be made anew for each stranger who asks. */
export function providerFigures(book: ReservationBook, nodeName: (name: string) => string): ProviderFigures {
  const totals = { pending: totalsOf(book, 'pending'), active: totalsOf(book, 'active') };
  if (book.knowledge.protocol === 'unknown') return { cluster: undefined, ...totals };
  const { storage, ips } = availability(book);
  const nodes = [...book.nodes].flatMap((figures) => nodeShares(book, figures, nodeName(figures.facts.name)));
  return {
    cluster: {
      nodes: nodes.toSorted((a, b) => byNumber.compare(a.name, b.name)),
      classes: storage.flatMap(classShare),
      ips: ips && shareOf(ips),
    },
    ...totals,
  };
}

/** `node-1` … in place of names, by the order of the names: the same on all replicas, and until there is another node. */
export function numberedNodes({ nodes }: Pick<ReservationBook, 'nodes'>): (name: string) => string {
  const names = [...nodes].map(({ facts }) => facts.name).sort();
  const numbers = new Map(names.map((name, at) => [name, `machine-${at + 1}`])); // name -> pseudonym
  return (name) => numbers.get(name) ?? 'machine';
}

const byNumber = new Intl.Collator('en', { numeric: true });

function nodeShares({ stock }: ReservationBook, { facts, allocatable, allocated }: NodeFigures, name: string): readonly NodeShares[] {
  const node = stock.node(facts.name);
  if (node?.takesWork !== true) return [];
  const { room } = node;
  const cards = sum([...allocatable.cards.values()]);
  return [
    {
      name,
      cpu: share(allocatable.cpuMillis, room.cpu),
      memory: share(allocatable.memoryBytes, room.memory),
      ephemeral: share(allocatable.ephemeralBytes, room.ephemeral),
      cards: share(cards, sum(room.cards.map((left) => Math.max(left, 0)))),
      models: modelsOf(facts, allocatable.cards, allocated.cards),
      storageClasses: facts.storageClasses,
    },
  ];
}

function modelsOf(
  { cards }: NodeFigures['facts'],
  allocatable: ReadonlyMap<string, number>,
  allocated: ReadonlyMap<string, number>,
): readonly CardGroup[] {
  const known = cards.flatMap((pool): readonly CardGroup[] => (pool.assignedBy === 'claim' ? pool.groups : pool.mayBeFree));
  const groups = new Map(known.map((group) => [groupKey(group), group]));
  return [...allocatable].flatMap(([key, count]) => {
    const group = groups.get(key);
    const shown = allocatable.size === 1 ? count : Math.max(count - (allocated.get(key) ?? 0), 0);
    return group === undefined ? [] : Array.from({ length: shown }, () => group);
  });
}

const classShare = ({ storageClass: name, amount, refusal }: Availability['storage'][number]) =>
  amount === undefined || refusal !== undefined ? [] : [{ name, bytes: shareOf(amount) }];

const shareOf = ({ allocatable, available }: Share): Share => share(allocatable, available);

/** What is free of something that was sold in part before there was less of it is no more than there is. */
const share = (allocatable: number, room: number): Share => ({ allocatable, available: Math.min(Math.max(room, 0), allocatable) });

const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0);
