import type { Clock } from '@quartermaster/kernel';
import { countsOnNode, podRequests } from '@quartermaster/kube';
import { hash } from '../../cluster/machine/hardware.ts';
import { methodNotAllowed } from '../../schema/api-status.ts';
import { answerJson } from '../answer/answers.ts';
import type { KindRegistry } from '../kinds/kind-registry.ts';
import { type JsonObject, textAt } from '../object/api-object.ts';
import type { ResourceRequest } from '../request/api-context.ts';
import { getObject } from '../store/object-reader.ts';
import type { Store } from '../store/store.ts';

interface Use {
  readonly cpuMillis: number;
  readonly memoryBytes: number;
}

export const metricsGroup = 'metrics.k8s.io';
const apiVersion = `${metricsGroup}/v1beta1`;

/** How long a measurement stands, as that of a metrics server. */
const windowMs = 15_000;
/** What the node's own services take. */
const ownUse: Use = { cpuMillis: 180, memoryBytes: 1.2e9 };
/** What a pod takes that asks for nothing. */
const leastUse: Use = { cpuMillis: 2, memoryBytes: 12e6 };

/**
 * Stands for a metrics server: metrics.k8s.io of nodes. The figures are made up, as nothing really runs: a share of what each pod requests
 * that follows from its uid and moves a little with time.
 */
export class SimulatedMetrics {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #requests = new WeakMap<JsonObject, Use>(); // pod as stored -> what it requests
  #measured: { readonly window: number; readonly use: ReadonlyMap<string, Use> } | undefined; // node -> use

  constructor(store: Store, registry: KindRegistry, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
    registry.add({
      ...{ group: metricsGroup, version: 'v1beta1', kind: 'NodeMetrics', listKind: 'NodeMetricsList', plural: 'nodes', singular: '' },
      ...{ namespaced: false, verbs: ['get', 'list'], shortNames: [], categories: [], subresources: [] },
      schema: { type: 'object', preserveUnknown: true },
      storageKey: `${metricsGroup}/nodes`,
    });
  }

  serve({ kind, name, request, response }: ResourceRequest): void {
    if (request.method !== 'GET') throw methodNotAllowed();
    if (name !== undefined) {
      getObject(this.#store, { ...kind, group: '', storageKey: '/nodes' }, { namespace: undefined, name });
      answerJson(response, 200, this.#metricsOf(name));
      return;
    }
    const items = [...this.#store.collection('/nodes').range('')].map(([node]) => this.#metricsOf(node));
    answerJson(response, 200, { kind: kind.listKind, apiVersion, metadata: {}, items });
  }

  #metricsOf(node: string): JsonObject {
    const { cpuMillis, memoryBytes } = this.#useOfNodes().get(node) ?? ownUse;
    const timestamp = `${new Date(this.#window() * windowMs).toISOString().slice(0, 19)}Z`;
    const annotations = { 'simulator.quartermaster.dev/simulated': 'true' };
    const usage = { cpu: `${Math.round(cpuMillis * 1e6)}n`, memory: `${Math.ceil(memoryBytes / 1024)}Ki` };
    const metadata = { name: node, creationTimestamp: timestamp, annotations };
    return { kind: 'NodeMetrics', apiVersion, metadata, timestamp, window: `${windowMs / 1000}s`, usage };
  }

  #window(): number {
    return Math.floor(this.#clock.now() / windowMs);
  }

  #useOfNodes(): ReadonlyMap<string, Use> {
    const window = this.#window();
    if (this.#measured?.window === window) return this.#measured.use;
    const use = new Map<string, Use>();
    for (const [, pod] of this.#store.collection('/pods').range('')) {
      if (!countsOnNode(pod) || textAt(pod, 'status', 'phase') !== 'Running') continue;
      const node = textAt(pod, 'spec', 'nodeName');
      const before = use.get(node) ?? ownUse;
      const { cpuMillis, memoryBytes } = this.#useOfPod(pod, window);
      use.set(node, { cpuMillis: before.cpuMillis + cpuMillis, memoryBytes: before.memoryBytes + memoryBytes });
    }
    this.#measured = { window, use };
    return use;
  }

  #useOfPod(pod: JsonObject, window: number): Use {
    const uid = textAt(pod, 'metadata', 'uid');
    const { cpuMillis, memoryBytes } = this.#requests.get(pod) ?? podRequests(pod);
    this.#requests.set(pod, { cpuMillis, memoryBytes });
    return {
      cpuMillis: Math.max(cpuMillis * (0.2 + (hash(`${uid}@${window}`) % 60) / 100), leastUse.cpuMillis),
      memoryBytes: Math.max(memoryBytes * (0.4 + (hash(uid) % 50) / 100), leastUse.memoryBytes),
    };
  }
}
