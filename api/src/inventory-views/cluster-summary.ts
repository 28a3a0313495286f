import { nodeState, type Tone } from '../states/index.ts';
import type { CapacityLine } from './inventory-shapes.ts';
import type { NodeRow } from './node-row.ts';

export interface StateCount {
  /** The word for it. */
  readonly state: string;
  readonly tone: Tone;
  readonly count: number;
}

export interface GpuModel {
  readonly model: string;
  readonly total: number;
  /** Allocated or for sale: neither held back nor out of sight. */
  readonly usable: number;
  readonly nodes: number;
}

/** The cluster at a glance: a few hundred bytes, however many nodes there are. */
export interface ClusterSummary {
  readonly nodeCount: number;
  readonly readyCount: number;
  /** Sellable ones first, then by how many. */
  readonly nodesByState: readonly StateCount[];
  /** Those that take room on nodes. */
  readonly podCount: number;
  readonly gpuModels: readonly GpuModel[];
  readonly cpuMillis: number;
  readonly usableCpuMillis: number;
  readonly memoryBytes: number;
  readonly usableMemoryBytes: number;
}

/** Sums over all nodes, where what is usable is what the lines of the capacity say. Pure. */
export function summariseCluster(nodes: readonly NodeRow[], lines: readonly CapacityLine[]): ClusterSummary {
  const usable = new Map(lines.map(({ kind, name, division }) => [`${kind} ${name}`, division.allocated + division.sellable]));
  return {
    nodeCount: nodes.length,
    readyCount: nodes.filter((node) => node.isReady).length,
    nodesByState: countStates(nodes),
    podCount: sum(nodes.map((node) => node.pods)),
    gpuModels: countGpus(nodes).map((each) => ({ ...each, usable: usable.get(`model ${each.model}`) ?? 0 })),
    cpuMillis: sum(nodes.map((node) => node.cpuMillis)),
    usableCpuMillis: usable.get('resource cpu') ?? 0,
    memoryBytes: sum(nodes.map((node) => node.memoryBytes)),
    usableMemoryBytes: usable.get('resource memory') ?? 0,
  };
}

function countStates(nodes: readonly NodeRow[]): StateCount[] {
  const counts = new Map<string, StateCount>(); // word -> count
  for (const { sale } of nodes) {
    const { word, tone } = nodeState(sale);
    counts.set(word, { state: word, tone, count: (counts.get(word)?.count ?? 0) + 1 });
  }
  return [...counts.values()].toSorted((a, b) => Number(b.tone === 'good') - Number(a.tone === 'good') || b.count - a.count);
}

function countGpus(nodes: readonly NodeRow[]): Omit<GpuModel, 'usable'>[] {
  const models = new Map<string, Omit<GpuModel, 'usable'>>(); // model -> cards and nodes
  for (const node of nodes) {
    for (const [model, count] of Object.entries(node.gpus)) {
      const { total, nodes: holders } = models.get(model) ?? { total: 0, nodes: 0 };
      models.set(model, { model, total: total + count, nodes: holders + 1 });
    }
  }
  return [...models.values()].toSorted((a, b) => b.total - a.total || a.model.localeCompare(b.model));
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
