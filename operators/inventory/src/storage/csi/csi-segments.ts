import type { LabelSelector } from '@quartermaster/kube/shapes';
import { type LabelledNode, nodeLabel } from '../querier/cluster-nodes.ts';
import { selects } from './label-selector.ts';

/** What a CSI driver says of one class in one part of the cluster: how much is left there. */
export interface CapacityFacts {
  /** The object that says it, to tell equals apart the same way each time. */
  readonly key: string;
  readonly class: string;
  /** Undefined when no node can reach the space. */
  readonly topology: LabelSelector | undefined;
  /** Undefined while the driver does not know. */
  readonly freeBytes: number | undefined;
  readonly maximumVolumeBytes: number | undefined;
}

/** A part of the cluster with space of its own. */
export interface Segment {
  /** Sorted. */
  readonly nodes: readonly string[];
  readonly freeBytes: number;
  readonly largestVolumeBytes: number;
  /** Whether the driver speaks of a single node, rather than of a zone that happens to have one. */
  readonly isOneNode: boolean;
}

/**
 * The parts of the cluster in which a class has space, none of which has a node in common with another: where several objects speak of the same
 * node, the one with the most space counts, because nobody can tell whether they mean the same disks.
 */
export function segmentsOf(facts: readonly CapacityFacts[], nodes: readonly LabelledNode[]): Segment[] {
  const find = nodeFinder(facts, nodes);
  const candidates = facts.flatMap(({ key, topology, freeBytes, maximumVolumeBytes }) => {
    if (topology === undefined || freeBytes === undefined) return [];
    const reached = find(topology);
    if (reached.length === 0) return [];
    const largestVolumeBytes = Math.min(maximumVolumeBytes ?? freeBytes, freeBytes);
    // A driver that makes no volume at all has nothing left, whatever it has.
    const usable = largestVolumeBytes === 0 ? 0 : freeBytes;
    return [{ key, nodes: reached.toSorted(), freeBytes: usable, largestVolumeBytes, isOneNode: namesOneNode(topology) }];
  });
  const taken = new Set<string>();
  return candidates
    .toSorted((a, b) => b.freeBytes - a.freeBytes || (a.key < b.key ? -1 : 1))
    .flatMap(({ key: _key, ...segment }) => {
      if (segment.nodes.some((node) => taken.has(node))) return [];
      for (const node of segment.nodes) taken.add(node);
      return [segment];
    });
}

/** Node -> the objects that tell how much is left there. */
export function objectsByNode(facts: readonly CapacityFacts[], nodes: readonly LabelledNode[]): ReadonlyMap<string, ReadonlySet<string>> {
  const find = nodeFinder(facts, nodes);
  const objects = new Map<string, Set<string>>();
  for (const { key, topology } of facts) {
    for (const node of topology === undefined ? [] : find(topology)) {
      const found = objects.get(node);
      if (found === undefined) objects.set(node, new Set([key]));
      else found.add(key);
    }
  }
  return objects;
}

function namesOneNode({ matchLabels = {}, matchExpressions = [] }: LabelSelector): boolean {
  return (
    Object.keys(matchLabels).some((key) => nodeLabel.test(key)) ||
    matchExpressions.some(({ key, operator, values = [] }) => nodeLabel.test(key) && operator === 'In' && values.length === 1)
  );
}

/** Finds the nodes of a selector by its labels: thousands of segments of one node each must not look at thousands of nodes each. */
function nodeFinder(facts: readonly CapacityFacts[], nodes: readonly LabelledNode[]): (topology: LabelSelector) => string[] {
  const keys = new Set(facts.flatMap(({ topology }) => Object.keys(topology?.matchLabels ?? {})));
  const byLabel = new Map<string, LabelledNode[]>(); // key=value -> nodes
  for (const node of nodes) {
    for (const key of keys) {
      const value = node.labels[key];
      if (value === undefined) continue;
      const found = byLabel.get(`${key}=${value}`);
      if (found === undefined) byLabel.set(`${key}=${value}`, [node]);
      else found.push(node);
    }
  }
  return (topology) => {
    const choices = Object.entries(topology.matchLabels ?? {}).map(([key, value]) => byLabel.get(`${key}=${value}`) ?? []);
    const fewest = choices.toSorted((a, b) => a.length - b.length)[0] ?? nodes;
    return fewest.filter(({ labels }) => selects(topology, labels)).map(({ name }) => name);
  };
}
