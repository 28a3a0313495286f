import type { Clock } from '@quartermaster/kernel';
import { countsOnNode, podRequests } from '@quartermaster/kube';
import { hash } from '../../cluster/machine/hardware.ts';
import { methodNotAllowed } from '../../schema/api-status.ts';
import type { SchemaNode } from '../../schema/schema-node.ts';
import { answerJson } from '../answer/answers.ts';
import type { KindRegistry } from '../kinds/kind-registry.ts';
import { type JsonObject, listAt, textAt } from '../object/api-object.ts';
import type { ResourceRequest } from '../request/api-context.ts';
import { getObject } from '../store/object-reader.ts';
import type { Store } from '../store/store.ts';

interface Use {
  readonly cpuMillis: number;
  readonly memoryBytes: number;
}

export const metricsGroup = 'metrics.k8s.io';
const version = 'v1beta1';
const schema: SchemaNode = { type: 'object', preserveUnknown: true };

/** How long a measurement stands, as that of a metrics server. */
const windowMs = 15_000;
/** What the node's own services take. */
const ownUse: Use = { cpuMillis: 180, memoryBytes: 1.2e9 };
/** What a pod takes that asks for nothing. */
const leastUse: Use = { cpuMillis: 2, memoryBytes: 12e6 };

/**
 * Stands for a metrics server: metrics.k8s.io of nodes and pods. The figures are made up, as nothing really runs: a share of what each pod
 * requests that follows from its uid and moves a little with time.
 */
export class SimulatedMetrics {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #requests = new WeakMap<JsonObject, Use>(); // pod as stored -> what it requests
  #nodes: { readonly window: number; readonly use: ReadonlyMap<string, Use> } | undefined;

  constructor(store: Store, registry: KindRegistry, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
    const common = {
      group: metricsGroup,
      version,
      singular: '',
      verbs: ['get', 'list'],
      shortNames: [],
      categories: [],
      subresources: [],
      schema,
    };
    for (const [kind, plural, namespaced] of [
      ['NodeMetrics', 'nodes', false],
      ['PodMetrics', 'pods', true],
    ] as const) {
      registry.add({ ...common, kind, plural, namespaced, listKind: `${kind}List`, storageKey: `${metricsGroup}/${plural}` });
    }
  }

  serve({ kind, namespace, name, request, response }: ResourceRequest): void {
    if (request.method !== 'GET') throw methodNotAllowed();
    const of = kind.plural === 'nodes' ? (node: JsonObject) => this.#node(node) : (pod: JsonObject) => this.#pod(pod);
    if (name !== undefined) {
      const measured = { ...kind, group: '', storageKey: `/${kind.plural}` };
      answerJson(response, 200, of(getObject(this.#store, measured, { namespace, name })));
      return;
    }
    const objects = [...this.#store.collection(`/${kind.plural}`).range(namespace === undefined ? '' : `${namespace}/`)];
    const items = objects.flatMap(([, object]) => (kind.plural === 'nodes' || isRunning(object) ? [of(object)] : []));
    answerJson(response, 200, { kind: kind.listKind, apiVersion: `${metricsGroup}/${version}`, metadata: {}, items });
  }

  #node(node: JsonObject): JsonObject {
    const { cpuMillis, memoryBytes } = this.#nodeUse().get(textAt(node, 'metadata', 'name')) ?? { cpuMillis: 0, memoryBytes: 0 };
    const use = { cpuMillis: cpuMillis + ownUse.cpuMillis, memoryBytes: memoryBytes + ownUse.memoryBytes };
    return { ...this.#heading('NodeMetrics', node), usage: usage(use) };
  }

  #pod(pod: JsonObject): JsonObject {
    const containers = listAt(pod, 'spec', 'containers');
    const { cpuMillis, memoryBytes } = this.#podUse(pod);
    const each = { cpuMillis: cpuMillis / containers.length, memoryBytes: memoryBytes / containers.length };
    return {
      ...this.#heading('PodMetrics', pod),
      containers: containers.map((container) => ({ name: textAt(container, 'name'), usage: usage(each) })),
    };
  }

  #heading(kind: string, object: JsonObject): JsonObject {
    const namespace = textAt(object, 'metadata', 'namespace');
    const timestamp = `${new Date(this.#window() * windowMs).toISOString().slice(0, 19)}Z`;
    const metadata = {
      name: textAt(object, 'metadata', 'name'),
      ...(namespace === '' ? {} : { namespace }),
      creationTimestamp: timestamp,
      annotations: { 'simulator.quartermaster.dev/simulated': 'true' },
    };
    return { kind, apiVersion: `${metricsGroup}/${version}`, metadata, timestamp, window: `${windowMs / 1000}s` };
  }

  #window(): number {
    return Math.floor(this.#clock.now() / windowMs);
  }

  #nodeUse(): ReadonlyMap<string, Use> {
    const window = this.#window();
    if (this.#nodes?.window === window) return this.#nodes.use;
    const use = new Map<string, Use>(); // node -> what its pods use
    for (const [, pod] of this.#store.collection('/pods').range('')) {
      if (!isRunning(pod)) continue;
      const node = textAt(pod, 'spec', 'nodeName');
      const before = use.get(node) ?? { cpuMillis: 0, memoryBytes: 0 };
      const { cpuMillis, memoryBytes } = this.#podUse(pod);
      use.set(node, { cpuMillis: before.cpuMillis + cpuMillis, memoryBytes: before.memoryBytes + memoryBytes });
    }
    this.#nodes = { window, use };
    return use;
  }

  #podUse(pod: JsonObject): Use {
    const uid = textAt(pod, 'metadata', 'uid');
    const requests = this.#requests.get(pod) ?? podRequests(pod);
    this.#requests.set(pod, { cpuMillis: requests.cpuMillis, memoryBytes: requests.memoryBytes });
    const cpuShare = 0.2 + (hash(`${uid}@${this.#window()}`) % 60) / 100;
    const memoryShare = 0.4 + (hash(uid) % 50) / 100;
    return {
      cpuMillis: Math.max(requests.cpuMillis * cpuShare, leastUse.cpuMillis),
      memoryBytes: Math.max(requests.memoryBytes * memoryShare, leastUse.memoryBytes),
    };
  }
}

const isRunning = (pod: JsonObject): boolean => countsOnNode(pod) && textAt(pod, 'status', 'phase') === 'Running';

const usage = ({ cpuMillis, memoryBytes }: Use): JsonObject => ({
  cpu: `${Math.round(cpuMillis * 1e6)}n`,
  memory: `${Math.ceil(memoryBytes / 1024)}Ki`,
});
