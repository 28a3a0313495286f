import { setTimeout as pause } from 'node:timers/promises';
import type { KubeClient } from '@quartermaster/kube';
import { churnNamespace, type EventKind, nowMs, podLabel } from './protocol.ts';

/** What was written, and when the writer began to write it. */
export interface WrittenEvents {
  readonly events: number;
  readonly seconds: number;
  /** `kind pod` -> when it was sent, before the server saw it */
  readonly sentAtMs: ReadonlyMap<string, number>;
}

/** So many pods are made by one request, and so many others deleted by another meanwhile. */
const podsOfABatch = 25;
/** 1 250 pods: were it a multiple of 500, deletions would fall on the very nodes of the additions in the small cluster, and two events cost as one. */
const batchesAlive = 50;
const batchesAtOnce = 32;

export const eventKey = (kind: EventKind, pod: number): string => `${kind} ${pod}`;

/** Makes bound pods and deletes them again, each on another node, at a steady rate: half of the events are additions, half are deletions. */
export class EventWriter {
  readonly #client: KubeClient;
  readonly #nodes: readonly string[];
  readonly #adding: Promise<void>[] = []; // of the batches that live, the oldest first
  #made = 0;
  #deleted = 0;

  constructor(client: KubeClient, nodes: readonly string[]) {
    this.#client = client;
    this.#nodes = nodes;
  }

  /** As many pods as live at any time of a run. */
  async fill(): Promise<void> {
    for (let batch = 0; batch < batchesAlive; batch += 1) await this.#start(new Map());
  }

  /** Keeps to the rate on average: what is late is caught up with. */
  async write(perSecond: number, seconds: number): Promise<WrittenEvents> {
    const sentAtMs = new Map<string, number>();
    const pending = new Set<Promise<unknown>>();
    const batchIntervalMs = (2 * podsOfABatch * 1000) / perSecond;
    const startedAt = performance.now();
    let batches = 0;
    while (performance.now() - startedAt < seconds * 1000) {
      const earlyMs = startedAt + batches * batchIntervalMs - performance.now();
      if (earlyMs > 1) await pause(earlyMs);
      if (pending.size >= batchesAtOnce) await Promise.race(pending);
      batches += 1;
      const work = Promise.all([this.#start(sentAtMs), this.#delete(sentAtMs)]);
      pending.add(work);
      void work.then(() => pending.delete(work));
    }
    await Promise.all(pending);
    const took = (performance.now() - startedAt) / 1000;
    // One more change, with which whatever waits for a next publication is published.
    await this.#start(new Map());
    return { events: batches * 2 * podsOfABatch, seconds: took, sentAtMs };
  }

  #start(sentAtMs: Map<string, number>): Promise<void> {
    const adding = this.#add(sentAtMs);
    this.#adding.push(adding);
    return adding;
  }

  async #add(sentAtMs: Map<string, number>): Promise<void> {
    const variations = Array.from({ length: podsOfABatch }, () => {
      this.#made += 1;
      sentAtMs.set(eventKey('added', this.#made), nowMs());
      // A step that shares no divisor with the number of nodes visits them all, far apart.
      const nodeName = this.#nodes[(this.#made * 7919) % this.#nodes.length];
      const metadata = { namespace: churnNamespace, name: `churn-${this.#made}`, labels: { [podLabel]: String(this.#made) } };
      return { metadata, spec: { nodeName } };
    });
    const { loaded } = await this.#client.transport.json<{ loaded: number }>({
      what: 'add pods',
      method: 'POST',
      path: '/simulator/objects',
      contentType: 'application/json',
      body: JSON.stringify({ model, variations }),
    });
    if (loaded !== podsOfABatch) throw new Error(`${loaded} of ${podsOfABatch} pods were added`);
  }

  async #delete(sentAtMs: Map<string, number>): Promise<void> {
    const first = this.#deleted + 1;
    this.#deleted += podsOfABatch;
    // Requests travel on many connections: one of long ago may still be on its way.
    await this.#adding.shift();
    const objects = Array.from({ length: podsOfABatch }, (_, index) => {
      sentAtMs.set(eventKey('deleted', first + index), nowMs());
      return { namespace: churnNamespace, name: `churn-${first + index}` };
    });
    const { deleted } = await this.#client.transport.json<{ deleted: number }>({
      what: 'delete pods',
      method: 'DELETE',
      path: '/simulator/objects',
      contentType: 'application/json',
      body: JSON.stringify({ apiVersion: 'v1', kind: 'Pod', objects }),
    });
    if (deleted !== podsOfABatch) throw new Error(`${deleted} of ${podsOfABatch} pods were deleted`);
  }
}

const model = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {},
  spec: {
    terminationGracePeriodSeconds: 0,
    containers: [
      { name: 'web', image: 'registry.invalid/web', resources: { requests: { cpu: '100m', memory: '128Mi' } } },
      { name: 'log', image: 'registry.invalid/log', resources: { requests: { cpu: '10m', memory: '16Mi' } } },
    ],
  },
  status: { phase: 'Running' },
};
