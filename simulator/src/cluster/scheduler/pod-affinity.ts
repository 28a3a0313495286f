import type { PodAffinityTerm } from '@quartermaster/kube/shapes';
import { type Labels, matchesSelector } from '../label-selector.ts';
import type { NodeRoom } from './node-room.ts';
import { type PodView, requiredAffinity, requiredAntiAffinity } from './pod-view.ts';

/** The pods that are on nodes, and what is known of namespaces. */
export interface Surroundings {
  readonly rooms: Iterable<NodeRoom>;
  /** Nodes with a pod that keeps others away; a subset of `rooms`. */
  readonly guarded: Iterable<NodeRoom>;
  namespaceLabels(namespace: string): Labels;
}

const affinityReasons = {
  affinity: "node(s) didn't match pod affinity rules",
  antiAffinity: "node(s) didn't match pod anti-affinity rules",
  existing: "node(s) didn't satisfy existing pods anti-affinity rules",
} as const;

/** Says of a node why the rules between pods keep this pod off it. Looks at all pods once, and at each node then in no time. */
export function affinityCheck(pod: PodView, around: Surroundings): (room: NodeRoom) => string | undefined {
  const affinity = requiredAffinity(pod);
  const antiAffinity = requiredAntiAffinity(pod);
  const wanted = new Set<string>(); // `key=value` of topologies with pods that match all affinity terms
  const unwanted = new Set<string>(); // the same, with pods that match an anti-affinity term
  const guarded = new Set<string>(); // the same, with pods that keep this one away

  if (affinity.length > 0 || antiAffinity.length > 0) {
    for (const { view, pods } of around.rooms) {
      for (const other of pods.values()) {
        if (affinity.length > 0 && affinity.every((term) => concerns(term, pod, other, around))) {
          for (const { topologyKey } of affinity) add(wanted, topologyKey, view.labels);
        }
        for (const term of antiAffinity) {
          if (concerns(term, pod, other, around)) add(unwanted, term.topologyKey, view.labels);
        }
      }
    }
  }
  for (const { view, pods } of around.guarded) {
    for (const other of pods.values()) {
      for (const term of requiredAntiAffinity(other)) {
        if (concerns(term, other, pod, around)) add(guarded, term.topologyKey, view.labels);
      }
    }
  }
  // The first of a group that wants to be together has nobody to join.
  const isFirst = wanted.size === 0 && affinity.every((term) => concerns(term, pod, pod, around));

  return ({ view: { labels } }) => {
    const misses = affinity.some(
      ({ topologyKey }) => labels[topologyKey] === undefined || (!isFirst && !wanted.has(`${topologyKey}=${labels[topologyKey]}`)),
    );
    if (misses) return affinityReasons.affinity;
    if (antiAffinity.some(({ topologyKey }) => unwanted.has(`${topologyKey}=${labels[topologyKey]}`))) return affinityReasons.antiAffinity;
    for (const topology of guarded) {
      const key = topology.slice(0, topology.indexOf('='));
      if (`${key}=${labels[key]}` === topology) return affinityReasons.existing;
    }
    return undefined;
  };
}

/** How much the pod would like to be on a node for the sake of the pods there; may be negative. */
export function affinityPreference(pod: PodView, around: Surroundings): (room: NodeRoom) => number {
  const liked = pod.affinity?.podAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
  const disliked = pod.affinity?.podAntiAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
  if (liked.length === 0 && disliked.length === 0) return () => 0;
  const weights = new Map<string, number>(); // `key=value` of a topology -> weight
  const terms = [...liked.map((term) => ({ ...term, sign: 1 })), ...disliked.map((term) => ({ ...term, sign: -1 }))];
  for (const { view, pods } of around.rooms) {
    for (const other of pods.values()) {
      for (const { podAffinityTerm, weight, sign } of terms) {
        const value = view.labels[podAffinityTerm.topologyKey];
        if (value === undefined || !concerns(podAffinityTerm, pod, other, around)) continue;
        const topology = `${podAffinityTerm.topologyKey}=${value}`;
        weights.set(topology, (weights.get(topology) ?? 0) + sign * weight);
      }
    }
  }
  const keys = new Set(terms.map(({ podAffinityTerm }) => podAffinityTerm.topologyKey));
  return ({ view: { labels } }) => {
    let sum = 0;
    for (const key of keys) sum += weights.get(`${key}=${labels[key]}`) ?? 0;
    return sum;
  };
}

/** Whether `other` is one of those that a term of `owner` speaks of. */
function concerns(term: PodAffinityTerm, owner: PodView, other: PodView, around: Surroundings): boolean {
  return isInNamespaces(term, owner, other, around) && matchesSelector(term.labelSelector, other.labels);
}

function isInNamespaces(
  { namespaces = [], namespaceSelector }: PodAffinityTerm,
  owner: PodView,
  other: PodView,
  around: Surroundings,
): boolean {
  if (namespaces.length === 0 && namespaceSelector === undefined) return owner.namespace === other.namespace;
  return (
    namespaces.includes(other.namespace) ||
    (namespaceSelector !== undefined && matchesSelector(namespaceSelector, around.namespaceLabels(other.namespace)))
  );
}

function add(topologies: Set<string>, key: string, labels: Labels): void {
  const value = labels[key];
  if (value !== undefined) topologies.add(`${key}=${value}`);
}
