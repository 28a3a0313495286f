import type { Clock } from '@quartermaster/kernel';
import { countsOnNode, podRequests } from '@quartermaster/kube';
import { hash } from '../../cluster/machine/hardware.ts';
import { methodNotAllowed } from '../../schema/api-status.ts';
import { answerJson } from '../answer/answers.ts';
import type { KindRegistry } from '../kinds/kind-registry.ts';
import { type JsonObject, rfc3339, textAt } from '../object/api-object.ts';
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
/** Counts for a pod that asks for less. */
const leastRequest: Use = { cpuMillis: 4, memoryBytes: 24e6 };
const nothing: Use = { cpuMillis: 0, memoryBytes: 0 };

/**
 * Stands for a metrics server: metrics.k8s.io of nodes. The figures are made up, as nothing really runs: a share of what the pods of a node
 * request that follows from its name and moves a little with time. The requests are summed up as pods come and go: a list of all nodes does
 * not look at all pods.
 */
export class SimulatedMetrics {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #requested = new Map<string, Use>(); // node -> by the pods that run on it

  constructor(store: Store, registry: KindRegistry, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
    registry.add({
      ...{ group: metricsGroup, version: 'v1beta1', kind: 'NodeMetrics', listKind: 'NodeMetricsList', plural: 'nodes', singular: '' },
      ...{ namespaced: false, verbs: ['get', 'list'], shortNames: [], categories: [], subresources: [] },
      schema: { type: 'object', preserveUnknown: true },
      storageKey: `${metricsGroup}/nodes`,
    });
    for (const [, pod] of store.collection('/pods').range('')) this.#count(pod, 1);
    store.listen(({ storageKey, type, object, previous }) => {
      if (storageKey !== '/pods') return;
      if (previous !== undefined) this.#count(previous, -1);
      if (type !== 'DELETED') this.#count(object, 1);
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
    const window = Math.floor(this.#clock.now() / windowMs);
    const { cpuMillis, memoryBytes } = this.#useOf(node, window);
    const timestamp = rfc3339(window * windowMs);
    const annotations = { 'simulator.quartermaster.dev/simulated': 'true' };
    const usage = { cpu: `${Math.round(cpuMillis * 1e6)}n`, memory: `${Math.ceil(memoryBytes / 1024)}Ki` };
    const metadata = { name: node, creationTimestamp: timestamp, annotations };
    return { kind: 'NodeMetrics', apiVersion, metadata, timestamp, window: `${windowMs / 1000}s`, usage };
  }

  #count(pod: JsonObject, times: 1 | -1): void {
    if (!countsOnNode(pod) || textAt(pod, 'status', 'phase') !== 'Running') return;
    const node = textAt(pod, 'spec', 'nodeName');
    const { cpuMillis, memoryBytes } = podRequests(pod);
    const before = this.#requested.get(node) ?? nothing;
    this.#requested.set(node, {
      cpuMillis: before.cpuMillis + times * Math.max(cpuMillis, leastRequest.cpuMillis),
      memoryBytes: before.memoryBytes + times * Math.max(memoryBytes, leastRequest.memoryBytes),
    });
  }

  #useOf(node: string, window: number): Use {
    const { cpuMillis, memoryBytes } = this.#requested.get(node) ?? nothing;
    const cpuPercent = 40 + (hash(node) % 20) + (hash(`${node}@${window}`) % 7);
    return {
      cpuMillis: ownUse.cpuMillis + (cpuMillis * cpuPercent) / 100,
      memoryBytes: ownUse.memoryBytes + (memoryBytes * (50 + (hash(node) % 30))) / 100,
    };
  }
}
