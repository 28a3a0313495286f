import { unequalTexts } from '@quartermaster/api/states';
import { canUse, Draft } from './draft.ts';
import type { Need, Needs } from './needs.ts';
import type { NodeState } from './node-state.ts';
import type { Stock } from './stock.ts';
import type { Reason } from './stock-facts.ts';

/** Nodes that lack the same. */
export interface NodeGroup {
  /** What keeps a replica of each unit away; empty for nodes that have room for one of each. */
  readonly shortfalls: readonly Shortfall[];
  readonly nodes: number;
  /** The first few, by name. */
  readonly named: readonly string[];
}

/** What of a node is too little for one replica of a unit, or wrong with it. */
export interface Shortfall {
  /** Undefined where it concerns every unit: the node is held back. */
  readonly unit: number | undefined;
  readonly reason: Reason;
  /** cpu, memory, ephemeral-storage, pods, gpu or `storage/<class>`; empty where it is no amount. */
  readonly resource: string;
  readonly needed: number;
  /** What the best of the group has. */
  readonly free: number;
}

/** More of them nobody reads: what the nodes of the smallest lack is told no more. */
const maxGroups = 100;

/**
 * Every node once, under what keeps it from taking one replica of each unit; those that have room for one of each, and then the largest group first. Amounts are
 * told as the best of a group has them.
 */
export function nodeGroups(stock: Stock, needs: readonly Needs[], maxNamed: number): readonly NodeGroup[] {
  const drafts = needs.map((each) => ({ needs: each.needs, blank: new Draft(stock.storage, each) }));
  const groups = new Map<string, Group>(); // codes -> nodes
  for (const node of stock.nodes) {
    if (node.facts === undefined) continue;
    const shortages = shortagesOf(node, drafts);
    let key = '';
    for (const { unit, code, text } of shortages) key += `${unit} ${code} ${text}\n`;
    let group = groups.get(key);
    if (group === undefined) groups.set(key, (group = { shortages, nodes: 0, named: [] }));
    group.nodes += 1;
    nameIn(group.named, node.name, maxNamed);
    for (const [at, each] of group.shortages.entries()) each.has = Math.max(each.has, shortages[at]?.has ?? each.has);
  }
  const sorted = [...groups.values()].toSorted(
    (a, b) =>
      Number(a.shortages.length > 0) - Number(b.shortages.length > 0) ||
      b.nodes - a.nodes ||
      ((a.named[0] ?? '') < (b.named[0] ?? '') ? -1 : 1),
  );
  const told = sorted.length > maxGroups ? [...sorted.slice(0, maxGroups - 1), together(sorted.slice(maxGroups - 1), maxNamed)] : sorted;
  return told.map(({ shortages, nodes, named }) => ({ shortfalls: shortages.map(shortfallOf), nodes, named }));
}

interface Group {
  readonly shortages: readonly Shortage[];
  nodes: number;
  readonly named: string[];
}

function together(groups: readonly Group[], maxNamed: number): Group {
  const text = `lack one thing or another, in ${groups.length} combinations`;
  const all: Group = { shortages: [{ unit: undefined, code: 'Various', text, resource: '', needs: 0, has: 0 }], nodes: 0, named: [] };
  for (const { nodes, named } of groups) {
    all.nodes += nodes;
    for (const name of named) nameIn(all.named, name, maxNamed);
  }
  return all;
}

/** Keeps the first few. */
function nameIn(named: string[], name: string, maxNamed: number): void {
  if (named.length === maxNamed && name > (named.at(-1) ?? '')) return;
  named.push(name);
  named.sort();
  if (named.length > maxNamed) named.pop();
}

interface Shortage {
  readonly unit: number | undefined;
  readonly code: string;
  /** Without amounts, so that nodes that differ only in these are one group. */
  readonly text: string;
  readonly resource: string;
  readonly needs: number;
  has: number;
}

function shortagesOf(node: NodeState, drafts: readonly { readonly needs: readonly Need[]; readonly blank: Draft }[]): readonly Shortage[] {
  const held = node.facts?.heldBack ?? [];
  if (held.length > 0) return held.map(({ code, message }) => ({ unit: undefined, code, text: message, resource: '', needs: 0, has: 0 }));
  return drafts.flatMap(({ needs, blank }) =>
    needs.flatMap((need) => {
      const found = shortagesOn(node, need, blank);
      return need.units.flatMap(({ unit }) => found.map((each) => ({ ...each, unit: unit.id })));
    }),
  );
}

type UnitShortage = Omit<Shortage, 'unit'>;

function shortagesOn(node: NodeState, need: Need, blank: Draft): readonly UnitShortage[] {
  const { cpu, memory, pods } = node.room;
  const ephemeral = blank.ephemeralRoom(node, node.room);
  const shortages: UnitShortage[] = [];
  const check = (code: string, text: string, resource: string, needs: number, has: number): void => {
    if (needs > has && needs > 0) shortages.push({ code, text, resource, needs, has: Math.max(has, 0) });
  };
  const cards = cardShortage(node, need);
  if (cards !== undefined) shortages.push(cards);
  check('TooLittleCpu', 'free', 'cpu', need.cpu, cpu);
  check('TooLittleMemory', 'of memory free', 'memory', need.memory, memory);
  check('TooFewPodSlots', 'pod slots free', 'pods', need.pods, pods);
  const unknown = node.facts?.ephemeralUnknown;
  if (unknown === undefined)
    check('TooLittleEphemeralStorage', 'of ephemeral storage free', 'ephemeral-storage', need.ephemeral, ephemeral);
  else if (need.ephemeral > 0) shortages.push({ code: unknown.code, text: unknown.message, resource: '', needs: 0, has: 0 });
  if (!canUse(node, need)) {
    const missing = need.classes.filter((name) => !node.usableClasses.has(name)).join(', ');
    shortages.push({ code: 'StorageClassNotUsable', text: `cannot use storage class ${missing}`, resource: '', needs: 0, has: 0 });
  } else {
    for (const { facts, needs, has } of blank.storageShortages(need, node)) {
      if (facts !== undefined) {
        check('TooLittleVolumeSpace', `of storage class ${facts.name} free on the node`, `storage/${facts.name}`, needs, has);
      } else if (unknown === undefined && !shortages.some(({ resource }) => resource === 'ephemeral-storage')) {
        check('TooLittleEphemeralStorage', 'of ephemeral storage free beside volumes', 'ephemeral-storage', needs, has);
      }
    }
  }
  return shortages;
}

function cardShortage(node: NodeState, need: Need): UnitShortage | undefined {
  const { gpus } = need;
  if (gpus === undefined) return undefined;
  const services = node.offers.map(({ kind }) => need.service(kind));
  const free = node.room.cards.filter((_, at) => services[at] === 'served');
  const has = Math.max(0, ...free);
  if (has >= gpus.count) return undefined;
  if (free.length > 0) return { code: 'TooFewGpus', text: 'of the wanted GPUs free', resource: 'gpu', needs: gpus.count, has };
  if (services.includes('plugin-may-pick-another')) {
    return {
      code: 'GpuCannotBeChosen',
      text: 'the device plugin may assign another of its free GPUs than the wanted one',
      resource: '',
      needs: 0,
      has: 0,
    };
  }
  return {
    code: 'NoWantedGpu',
    text: node.offers.length === 0 ? 'has no GPUs' : 'has other GPUs than the wanted ones',
    resource: '',
    needs: 0,
    has: 0,
  };
}

function shortfallOf({ unit, code, text, resource, needs, has }: Shortage): Shortfall {
  const [free, needed] = unequalTexts(resource, has, needs);
  const message = needs === 0 ? text : `has at most ${free} ${text}; each replica needs ${needed}`;
  return { unit, reason: { code, message }, resource, needed: needs, free: has };
}
