import type { NodeRow } from '@quartermaster/api/inventory-views';
import type { ConsolePart, Installation, SimulatedFaults } from '@quartermaster/console';
import { farmSale, ScriptedInventory, saleState } from './scripted-inventory.ts';

interface Cluster {
  /** When the cluster last confirmed this. */
  readonly observedAt: number;
  readonly nodes: readonly NodeRow[];
}

export interface Farm extends Installation {
  readonly faults?: SimulatedFaults | undefined;
  /** Undefined while the cluster has not been read. */
  readonly cluster?: Cluster | undefined;
}

const gib = 1024 ** 3;

/** What an inventory and the process around a console say, changed by hand. */
export class ScriptedSource {
  readonly inventory = new ScriptedInventory(() => this.#farm.cluster?.nodes ?? []);
  #farm: Farm;
  readonly #listeners = new Set<() => void>();

  constructor(state: Farm) {
    this.#farm = state;
  }

  current(): Farm {
    return this.#farm;
  }

  subscribe(changed: () => void): () => void {
    this.#listeners.add(changed);
    return () => void this.#listeners.delete(changed);
  }

  set(state: Farm): void {
    this.#farm = state;
    for (const changed of this.#listeners) changed();
  }

  /** Changes the cluster, which confirms it at this moment. */
  setCluster(change: (cluster: Cluster) => Partial<Cluster>): void {
    const { cluster = { observedAt: 0, nodes: [] } } = this.#farm;
    this.set({ ...this.#farm, cluster: { ...cluster, ...change(cluster), observedAt: Date.now() } });
  }

  setNode(name: string, change: Partial<NodeRow>): void {
    this.setCluster(({ nodes }) => ({ nodes: nodes.map((node) => (node.name === name ? changedNode(node, change) : node)) }));
  }

  /** Confirms the cluster over and over, as a working watch does. Returns how to end it. */
  keepConfirming(): () => void {
    const timer = setInterval(() => this.setCluster(() => ({})), 1_000);
    return () => clearInterval(timer);
  }
}

/** A cluster as a datacenter would have it: mixed GPU models, most nodes well, a few of them not, one with a long name. */
export function farm({ nodeCount, now = Date.now() }: { readonly nodeCount: number; readonly now?: number }): Farm {
  const nodes = Array.from({ length: nodeCount }, (_, index) => farmNode(index, now));
  return {
    installation: {
      version: '0.1.0',
      startedAt: now - 260_000,
      scenario: 'gpu-farm',
      dataDirectory: '/home/someone/.local/share/quartermaster/up',
      kubernetes: 'simulated',
      server: 'https://127.0.0.1:36443',
      kubeconfig: '/home/someone/.local/share/quartermaster/up/kubeconfig',
    },
    parts: farmParts(now),
    changes: [
      { at: now - 200_000, name: 'inventory', state: 'ready' },
      { at: now - 40_000, name: 'inventory', state: 'degraded', reason: 'The watch of nodes was cut.' },
    ],
    faults: farmFaults(now),
    cluster: { observedAt: now, nodes },
  };
}

function farmFaults(now: number): SimulatedFaults {
  const loss = { id: 'node-loss:node-00008', kind: 'node-loss', node: 'node-00008', settings: {} };
  const skew = { id: 'clock-skew:node-00003', kind: 'clock-skew', node: 'node-00003', settings: { byMs: '-5000' } };
  const late = { id: '1', kind: 'latency', settings: { ms: '3000', resource: 'pods' } };
  return {
    active: [
      { ...loss, since: now - 240_000 },
      { ...late, since: now - 60_000 },
    ],
    history: [
      { at: now - 240_000, change: 'began', fault: loss },
      { at: now - 180_000, change: 'ended', fault: skew },
      { at: now - 60_000, change: 'began', fault: late },
    ],
  };
}

function farmParts(now: number): ConsolePart[] {
  return [
    {
      name: 'simulated cluster',
      kind: 'embedded',
      state: 'ready',
      since: now - 255_000,
      facts: { address: 'https://127.0.0.1:36443', pid: '4711' },
    },
    { name: 'console', kind: 'embedded', state: 'ready', since: now - 254_000, facts: { address: 'http://127.0.0.1:8080' } },
    {
      name: 'inventory',
      kind: 'role',
      state: 'degraded',
      reason: 'The watch of nodes was cut 40 s ago and the next attempt is in 8 s.',
      since: now - 40_000,
      facts: { queue: '12 keys' },
    },
    { name: 'message bus', kind: 'external', state: 'starting', since: now - 3_000, facts: {} },
  ];
}

/** What the inventory makes of a node follows from how it is. */
function changedNode(node: NodeRow, change: Partial<NodeRow>): NodeRow {
  const changed = { ...node, ...change };
  return { ...changed, sale: changed.sale && { ...changed.sale, ...saleState(changed.state) } };
}

function farmNode(index: number, now: number): NodeRow {
  const state = farmState(index);
  return {
    name: index === 5 ? 'node-00005-with-a-name-as-long-as-some-datacenters-like-them' : `node-${String(index).padStart(5, '0')}`,
    isReady: !state.startsWith('NotReady'),
    state,
    rack: `rack-${Math.floor(index / 20)}`,
    cpuMillis: 96_000,
    memoryBytes: 768 * gib,
    gpus: farmGpus(index),
    pods: 20 + (index % 17),
    ...(state.includes('stopped posting') ? { silentSince: now - 240_000 } : {}),
    sale: farmSale(index, state, farmGpus(index)),
  };
}

function farmState(index: number): string {
  if (index % 40 === 8) return 'NotReady: kubelet stopped posting node status';
  if (index % 40 === 13) return 'SchedulingDisabled';
  if (index % 40 === 22) return 'NotReady: DiskPressure';
  return 'Ready';
}

function farmGpus(index: number): Readonly<Record<string, number>> {
  if (index % 4 === 0) return { 'NVIDIA H100 SXM 80GB': 8 };
  if (index % 4 === 1) return { 'NVIDIA A100 PCIe 40GB': 4 };
  return index % 4 === 2 ? { 'NVIDIA L40S': 2, 'NVIDIA T4': 1 } : {};
}
