import type { ConsoleNode, ConsoleSnapshot } from './console-source.ts';

type Cluster = NonNullable<ConsoleSnapshot['cluster']>;

/**
 * What changed between two snapshots, small enough to send often: nodes are keyed by name and only those that differ are
 * listed; everything else is short and replaced whole. An absent field did not change.
 */
export interface SnapshotPatch {
  readonly installation?: ConsoleSnapshot['installation'];
  readonly parts?: ConsoleSnapshot['parts'];
  /** Null when the cluster became unknown. */
  readonly cluster?: ClusterPatch | null;
}

export interface ClusterPatch {
  readonly observedAt: number;
  readonly changedNodes?: readonly ConsoleNode[];
  /** Names. */
  readonly removedNodes?: readonly string[];
  readonly podsByPhase?: Cluster['podsByPhase'];
  readonly recentPods?: Cluster['recentPods'];
}

/** The patch that turns `before` into `after`, or undefined when they are equal. Pure. */
export function diffSnapshots(before: ConsoleSnapshot, after: ConsoleSnapshot): SnapshotPatch | undefined {
  const patch = {
    ...(isEqual(before.installation, after.installation) ? {} : { installation: after.installation }),
    ...(isEqual(before.parts, after.parts) ? {} : { parts: after.parts }),
    ...clusterChange(before.cluster, after.cluster),
  };
  return Object.keys(patch).length === 0 ? undefined : patch;
}

/** The snapshot after the change. Nodes that stay keep their place and their identity; new ones come last. */
export function applyPatch(before: ConsoleSnapshot, patch: SnapshotPatch): ConsoleSnapshot {
  const { installation = before.installation, parts = before.parts } = patch;
  const cluster = patch.cluster === undefined ? before.cluster : patchCluster(before.cluster, patch.cluster);
  return cluster === undefined ? { installation, parts } : { installation, parts, cluster };
}

function clusterChange(before: Cluster | undefined, after: Cluster | undefined): Pick<SnapshotPatch, 'cluster'> {
  if (before === after) return {};
  if (after === undefined) return { cluster: null };
  const { changed, removed } = nodeChanges(before?.nodes ?? [], after.nodes);
  const cluster = {
    observedAt: after.observedAt,
    ...(changed.length === 0 ? {} : { changedNodes: changed }),
    ...(removed.length === 0 ? {} : { removedNodes: removed }),
    ...(isEqual(before?.podsByPhase, after.podsByPhase) ? {} : { podsByPhase: after.podsByPhase }),
    ...(isEqual(before?.recentPods, after.recentPods) ? {} : { recentPods: after.recentPods }),
  };
  const isSame = before?.observedAt === after.observedAt && Object.keys(cluster).length === 1;
  return isSame ? {} : { cluster };
}

function nodeChanges(before: readonly ConsoleNode[], after: readonly ConsoleNode[]): { changed: ConsoleNode[]; removed: string[] } {
  if (before === after) return { changed: [], removed: [] };
  const known = new Map(before.map((node) => [node.name, node])); // name -> node before
  const changed = after.filter((node) => {
    const old = known.get(node.name);
    known.delete(node.name);
    return old === undefined || !isEqual(old, node);
  });
  return { changed, removed: [...known.keys()] };
}

function patchCluster(before: Cluster | undefined, patch: ClusterPatch | null): Cluster | undefined {
  if (patch === null) return undefined;
  return {
    observedAt: patch.observedAt,
    nodes: patchNodes(before?.nodes ?? [], patch),
    podsByPhase: patch.podsByPhase ?? before?.podsByPhase ?? {},
    recentPods: patch.recentPods ?? before?.recentPods ?? [],
  };
}

function patchNodes(before: readonly ConsoleNode[], { changedNodes = [], removedNodes = [] }: ClusterPatch): readonly ConsoleNode[] {
  if (changedNodes.length === 0 && removedNodes.length === 0) return before;
  const nodes = new Map(before.map((node) => [node.name, node])); // name -> node
  for (const name of removedNodes) nodes.delete(name);
  for (const node of changedNodes) nodes.set(node.name, node);
  return [...nodes.values()];
}

/** Equality of JSON values; an absent field equals an undefined one, the order of keys does not matter. */
function isEqual(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (!isObject(a) || !isObject(b) || Array.isArray(a) !== Array.isArray(b)) return false;
  for (const key of Object.keys(a)) if (!isEqual(a[key], b[key])) return false;
  for (const key of Object.keys(b)) if (!Object.hasOwn(a, key) && b[key] !== undefined) return false;
  return true;
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> => typeof value === 'object' && value !== null;
