import {
  type ConsoleNode,
  type ConsolePart,
  type ConsolePod,
  type ConsoleSnapshot,
  type ConsoleSource,
  newestFirst,
  type PodPage,
  type PodQuery,
  podKey,
} from '@quartermaster/console';
import { farmSale, ScriptedInventory } from './scripted-inventory.ts';

type Cluster = NonNullable<ConsoleSnapshot['cluster']>;

const gib = 1024 ** 3;

/** A source that a test changes by hand. */
export class ScriptedSource implements ConsoleSource {
  /** Undefined where a test wants a console without one. */
  inventory: ScriptedInventory | undefined = new ScriptedInventory(() => this.#snapshot.cluster?.nodes ?? []);
  #snapshot: ConsoleSnapshot;
  #pods: readonly ConsolePod[] = farmPods(60);
  readonly #listeners = new Set<() => void>();

  constructor(snapshot: ConsoleSnapshot) {
    this.#snapshot = snapshot;
  }

  current(): ConsoleSnapshot {
    return this.#snapshot;
  }

  pods({ text = '', phase, node, page, size }: PodQuery): PodPage | undefined {
    if (this.#snapshot.cluster === undefined) return undefined;
    const matching = this.#pods
      .filter((pod) => phase === undefined || pod.phase === phase)
      .filter((pod) => node === undefined || pod.node === node)
      .filter((pod) => `${podKey(pod)} ${pod.node ?? ''}`.includes(text))
      .toSorted(newestFirst);
    return { total: this.#pods.length, matching: matching.length, pods: matching.slice(page * size, (page + 1) * size) };
  }

  setPods(pods: readonly ConsolePod[]): void {
    this.#pods = pods;
    this.set({ ...this.#snapshot });
  }

  subscribe(changed: () => void): () => void {
    this.#listeners.add(changed);
    return () => void this.#listeners.delete(changed);
  }

  set(snapshot: ConsoleSnapshot): void {
    this.#snapshot = snapshot;
    for (const changed of this.#listeners) changed();
  }

  /** Changes the cluster, which confirms it at this moment. */
  setCluster(change: (cluster: Cluster) => Partial<Cluster>): void {
    const { cluster = { observedAt: 0, nodes: [], podsByPhase: {} } } = this.#snapshot;
    this.set({ ...this.#snapshot, cluster: { ...cluster, ...change(cluster), observedAt: Date.now() } });
  }

  setNode(name: string, change: Partial<ConsoleNode>): void {
    this.setCluster(({ nodes }) => ({ nodes: nodes.map((node) => (node.name === name ? { ...node, ...change } : node)) }));
  }

  /** Confirms the cluster over and over, as a working watch does. Returns how to end it. */
  keepConfirming(): () => void {
    const timer = setInterval(() => this.setCluster(() => ({})), 1_000);
    return () => clearInterval(timer);
  }
}

/** A cluster as a datacenter would have it: mixed GPU models, most nodes well, a few of them not, one with a long name. */
export function farm({ nodeCount, now = Date.now() }: { readonly nodeCount: number; readonly now?: number }): ConsoleSnapshot {
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
    cluster: {
      observedAt: now,
      nodes,
      podsByPhase: { Running: nodeCount * 28, Pending: 7, Succeeded: 41, Failed: 3 },
    },
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

function farmNode(index: number, now: number): ConsoleNode {
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
    heartbeatAt: now - (index % 40 === 8 ? 65_000 : (index % 9) * 1000),
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

const phases = ['Running', 'Running', 'Pending', 'Running', 'Succeeded', 'Failed'];

/** Pods of a farm, the newest first. */
export function farmPods(count: number, now = Date.now()): ConsolePod[] {
  return Array.from({ length: count }, (_, index) => farmPod(index, now));
}

function farmPod(index: number, now: number): ConsolePod {
  const phase = phases[index % phases.length] ?? 'Running';
  return {
    namespace: index % 3 === 0 ? 'tenant-a' : 'tenant-b',
    name: `training-7d9c5b6f4-${index.toString(36).padStart(5, 'x')}`,
    phase,
    ...(phase === 'Pending' ? {} : { node: `node-${String(index % 40).padStart(5, '0')}` }),
    changedAt: now - index * 2_300,
  };
}
