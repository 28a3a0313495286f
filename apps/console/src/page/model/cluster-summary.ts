import type { ConsoleSnapshot } from '../../console-source.ts';
import { nodeTone, podTone, type Tone } from './node-state.ts';

type Cluster = NonNullable<ConsoleSnapshot['cluster']>;

/** One segment of a bar and the list behind it. */
export interface Share {
  readonly label: string;
  readonly count: number;
  readonly tone: Tone;
  /** The view that lists exactly these. */
  readonly href: string;
}

export interface GpuModelSummary {
  readonly model: string;
  readonly total: number;
  /** On nodes that are ready and take pods. */
  readonly usable: number;
  readonly nodes: number;
  readonly href: string;
}

export interface ClusterSummary {
  readonly nodeCount: number;
  readonly readyCount: number;
  readonly nodes: readonly Share[];
  readonly podCount: number;
  readonly pods: readonly Share[];
  readonly gpuCount: number;
  readonly usableGpus: number;
  readonly gpuModels: readonly GpuModelSummary[];
  readonly cpuMillis: number;
  readonly usableCpuMillis: number;
  readonly memoryBytes: number;
  readonly usableMemoryBytes: number;
}

const phaseOrder = ['Running', 'Pending', 'Succeeded', 'Failed', 'Unknown'];

/** The cluster at a glance. Each sum counts every node once; every share is a link to what it counts. */
export function summariseCluster({ nodes, podsByPhase }: Cluster): ClusterSummary {
  const usable = nodes.filter((node) => nodeTone(node) === 'good');
  const gpuModels = gpuSummaries(nodes);
  return {
    nodeCount: nodes.length,
    readyCount: nodes.filter((node) => node.isReady).length,
    nodes: nodeShares(nodes),
    podCount: sum(Object.values(podsByPhase)),
    pods: podShares(podsByPhase),
    gpuCount: sum(gpuModels.map((model) => model.total)),
    usableGpus: sum(gpuModels.map((model) => model.usable)),
    gpuModels,
    cpuMillis: sum(nodes.map((node) => node.cpuMillis)),
    usableCpuMillis: sum(usable.map((node) => node.cpuMillis)),
    memoryBytes: sum(nodes.map((node) => node.memoryBytes)),
    usableMemoryBytes: sum(usable.map((node) => node.memoryBytes)),
  };
}

/** Nodes by state, ready ones first, then by how many. */
function nodeShares(nodes: Cluster['nodes']): Share[] {
  const shares = new Map<string, Share>(); // state -> share
  for (const node of nodes) {
    const count = (shares.get(node.state)?.count ?? 0) + 1;
    shares.set(node.state, { label: node.state, count, tone: nodeTone(node), href: nodesHref(`state:${quoted(node.state)}`) });
  }
  return [...shares.values()].toSorted((a, b) => Number(b.tone === 'good') - Number(a.tone === 'good') || b.count - a.count);
}

function podShares(podsByPhase: Cluster['podsByPhase']): Share[] {
  const rank = (phase: string): number => (phaseOrder.includes(phase) ? phaseOrder.indexOf(phase) : phaseOrder.length);
  return Object.entries(podsByPhase)
    .filter(([, count]) => count > 0)
    .toSorted(([a], [b]) => rank(a) - rank(b) || a.localeCompare(b))
    .map(([phase, count]) => ({ label: phase, count, tone: podTone(phase), href: podsHref(phase) }));
}

function gpuSummaries(nodes: Cluster['nodes']): GpuModelSummary[] {
  const models = new Map<string, GpuModelSummary>(); // model -> summary
  for (const node of nodes) {
    const isUsable = nodeTone(node) === 'good';
    for (const [model, count] of Object.entries(node.gpus)) {
      const before = models.get(model) ?? { model, total: 0, usable: 0, nodes: 0, href: nodesHref(`gpu:${quoted(model)}`) };
      models.set(model, {
        ...before,
        total: before.total + count,
        usable: before.usable + (isUsable ? count : 0),
        nodes: before.nodes + 1,
      });
    }
  }
  return [...models.values()].toSorted((a, b) => b.total - a.total || a.model.localeCompare(b.model));
}

export const nodesHref = (query: string): string => `/nodes?q=${encodeURIComponent(query)}`;
export const podsHref = (phase: string): string => `/pods?phase=${encodeURIComponent(phase)}`;
export const nodeHref = (name: string): string => `/nodes/${encodeURIComponent(name)}`;

/** In quotes a filter takes the value as a whole. */
const quoted = (value: string): string => `"${value.replaceAll('"', '')}"`;

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
