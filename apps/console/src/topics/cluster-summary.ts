import type { ConsoleNode, ConsoleSnapshot } from '../console-source.ts';

export interface StateCount {
  readonly state: string;
  readonly isReady: boolean;
  readonly count: number;
}

export interface GpuModel {
  readonly model: string;
  readonly total: number;
  /** On nodes that are ready and take pods. */
  readonly usable: number;
  readonly nodes: number;
}

/** The cluster at a glance: a few hundred bytes, however many nodes there are. */
export interface ClusterSummary {
  readonly nodeCount: number;
  readonly readyCount: number;
  /** Usable ones first, then by how many. */
  readonly nodesByState: readonly StateCount[];
  readonly podCount: number;
  /** phase -> pods */
  readonly podsByPhase: Readonly<Record<string, number>>;
  readonly gpuModels: readonly GpuModel[];
  readonly cpuMillis: number;
  readonly usableCpuMillis: number;
  readonly memoryBytes: number;
  readonly usableMemoryBytes: number;
}

/** Ready, and nobody holds it back. */
export const isUsable = ({ isReady, state }: Pick<ConsoleNode, 'isReady' | 'state'>): boolean =>
  isReady && !/SchedulingDisabled/i.test(state);

/** Each sum counts every node once. */
export function summariseCluster({ nodes, podsByPhase }: NonNullable<ConsoleSnapshot['cluster']>): ClusterSummary {
  const usable = nodes.filter(isUsable);
  return {
    nodeCount: nodes.length,
    readyCount: nodes.filter((node) => node.isReady).length,
    nodesByState: countStates(nodes),
    podCount: sum(Object.values(podsByPhase)),
    podsByPhase,
    gpuModels: countGpus(nodes),
    cpuMillis: sum(nodes.map((node) => node.cpuMillis)),
    usableCpuMillis: sum(usable.map((node) => node.cpuMillis)),
    memoryBytes: sum(nodes.map((node) => node.memoryBytes)),
    usableMemoryBytes: sum(usable.map((node) => node.memoryBytes)),
  };
}

function countStates(nodes: readonly ConsoleNode[]): StateCount[] {
  const counts = new Map<string, StateCount>(); // state -> count
  for (const { state, isReady } of nodes) counts.set(state, { state, isReady, count: (counts.get(state)?.count ?? 0) + 1 });
  return [...counts.values()].toSorted((a, b) => Number(isUsable(b)) - Number(isUsable(a)) || b.count - a.count);
}

function countGpus(nodes: readonly ConsoleNode[]): GpuModel[] {
  const models = new Map<string, GpuModel>(); // model -> summary
  for (const node of nodes) {
    const isHere = isUsable(node);
    for (const [model, count] of Object.entries(node.gpus)) {
      const { total, usable, nodes: holders } = models.get(model) ?? { total: 0, usable: 0, nodes: 0 };
      models.set(model, { model, total: total + count, usable: usable + (isHere ? count : 0), nodes: holders + 1 });
    }
  }
  return [...models.values()].toSorted((a, b) => b.total - a.total || a.model.localeCompare(b.model));
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
